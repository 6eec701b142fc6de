import type { ChoiceFacts, Decision, Denial, ModelOption, Rule, WeighedOption, Verdict } from './define.ts';
import { featuresOf } from './routing-features.ts';
import { hardDenial, hasChoice, isOnlyOverBudget, isOnlyTooLong } from './hard-rules.ts';
import type { Comparison } from './weigh-options.ts';
import { compareOptions, isStronger, pairOf, optionWithoutCosts } from './weigh-options.ts';
import type { Choice } from './choose-by-score.ts';
import { byScore, capital, isOfConversation } from './choose-by-score.ts';
import { byPlanRole, byRole, chooseReviewer, notePlanRole } from './choose-for-question.ts';
import { noteFailure } from '../lib/log.ts';

interface Judged {
  readonly option: ModelOption;
  readonly denial: Denial | null;
}

/**
 * What works next, and why: a model with its effort, by which strategy, and for how long; or that the work stops. Any
 * number of models, local and cloud. Pure: the same facts give the same decision. Hard rules come first, then what went
 * wrong, then what must stay together, then the score. If the hard rules throw, only this machine is allowed; if a later
 * layer throws, the last model that the hard rules allow is used. Never throws.
 */
export function chooseModel(facts: ChoiceFacts, rules: readonly Rule[]): Decision {
  const judged = judgeAll(facts);
  const open = judged.filter(({ denial }) => denial === null).map(({ option }) => option);
  const compared = comparedOf(facts, rules, open);
  const verdict = safely(() => verdictOf(facts, { judged, open, compared })) ?? asBefore(facts, open);
  const { chosen } = verdict;
  const weighed = compared?.options ?? facts.options.map(optionWithoutCosts);
  const score = compared?.scoreOf(chosen) ?? null;
  return {
    adviser: null,
    isDegraded: false,
    otherwise: judged.find(({ denial }) => denial !== null)?.denial?.text ?? '',
    ...verdict,
    until: chosen?.strategy === 'recipe' ? 'end' : 'step',
    runnerUp: verdict.adviser ?? second(facts, open, chosen),
    reviewer: safely(() => reviewerOf(facts, chosen)),
    votes: score?.votes ?? [],
    gain: score?.gain ?? null,
    features: score?.features ?? keptFeatures(facts),
    options: weighed.map((option, at) => withDenial(option, judged[at]?.denial ?? null)),
  };
}

function withDenial(option: WeighedOption, denial: Denial | null): WeighedOption {
  return denial === null ? option : { ...option, denied: { code: denial.code, text: denial.text } };
}

const broken: Denial = { code: 'policy', text: 'The rules on what may leave this machine could not be read.' };

function judgeAll(facts: ChoiceFacts): readonly Judged[] {
  return facts.options.map((option) => {
    try {
      return { option, denial: hardDenial(option, facts) };
    } catch (error) {
      // An error here must not allow the cloud.
      noteFailure('routing: a denial failed, so the cloud is not used', error);
      return { option, denial: option.info.where === 'local' ? null : broken };
    }
  });
}

/** Null: it threw, or there is nothing to compare, so the router decides without a score. */
function comparedOf(facts: ChoiceFacts, rules: readonly Rule[], open: readonly ModelOption[]): Comparison | null {
  if (facts.options.length < 2) return null;
  try {
    return compareOptions(facts, rules, { open, block: blockOf(facts) });
  } catch (error) {
    // An error in a vote must not stop the work.
    noteFailure('routing: a rule failed', error);
    return null;
  }
}

function keptFeatures(facts: ChoiceFacts): Decision['features'] {
  try {
    return featuresOf(facts, pairOf(facts.options));
  } catch (error) {
    // An error in the data kept for learning must not stop the work.
    noteFailure('routing: what was learned could not be used', error);
    return {};
  }
}

/** The best of the others that may work, else the first of the others. */
function second(
  { options }: ChoiceFacts,
  open: readonly ModelOption[],
  chosen: ModelOption | null,
): ModelOption | null {
  const isOther = ({ info }: ModelOption): boolean => chosen === null || info !== chosen.info;
  return open.findLast(isOther) ?? options.find(isOther) ?? null;
}

/**
 * The strongest model above the chosen one. It reads a handoff, so the size of the conversation, its images and what the
 * fences found in it do not count; the handoff passes the fences itself.
 */
function reviewerOf(facts: ChoiceFacts, chosen: ModelOption | null): ModelOption | null {
  if (chosen === null || chosen.info.where === 'cloud') return null;
  const handoff = { ...facts, taint: [], pin: null, budgetLeftUsd: null, needs: { images: false } };
  const mayReview = (option: ModelOption): boolean =>
    option.info.where === 'cloud' && isStronger(facts.options, option, chosen) && isOnlyTooLong(option, handoff);
  return facts.options.findLast(mayReview) ?? null;
}

/**
 * The number of steps that the decision covers: at the start the whole task, later the next stretch, and one step for a
 * question outside the conversation.
 */
function blockOf({ purpose, trajectory, numbers }: ChoiceFacts): number {
  if (!isOfConversation(purpose)) return 1;
  return trajectory.steps === 0 ? numbers.taskSteps : numbers.blockSteps;
}

interface Considered {
  readonly judged: readonly Judged[];
  /** Those without a denial. */
  readonly open: readonly ModelOption[];
  readonly compared: Comparison | null;
}

function verdictOf(facts: ChoiceFacts, { judged, open, compared }: Considered): Verdict {
  const [first] = open;
  if (first === undefined) return nobody(facts, judged, compared);
  if (!hasChoice(open) && !hasFailed(facts, judged, first)) return onlyOne(facts, judged, { option: first, compared });
  if (compared === null) return facts.trouble === null ? asBefore(facts, open) : alone(facts, judged, open);
  const choice = { open, compared, denial: shutOf(judged) };
  if (facts.purpose === 'review') return chooseReviewer(facts, choice);
  if (!isOfConversation(facts.purpose)) return byRole(facts, choice);
  return (
    afterTrouble(facts, choice) ??
    afterBadSignals(facts, choice) ??
    answersTo(facts, choice) ??
    staysTogether(facts, choice) ??
    underStrain(facts, choice) ??
    byPlanRole(facts, choice) ??
    notePlanRole(facts, byScore(facts, choice))
  );
}

/**
 * Whether what happened decides: the option gave up itself, another did and nothing else keeps it from working, or a
 * stronger one did that was free to go on.
 */
function hasFailed(facts: ChoiceFacts, judged: readonly Judged[], first: ModelOption): boolean {
  const { trouble } = facts;
  if (trouble === null) return false;
  return trouble.model === first.info.id || !judged.some(isShut) || isPassed(facts, judged, first);
}

/** Whether a stronger one that was free to go on made no progress, so that this one would not either. */
function isPassed({ trouble, options }: ChoiceFacts, judged: readonly Judged[], option: ModelOption): boolean {
  if (trouble === null || trouble.cause === 'transport' || trouble.cause === 'window') return false;
  const { model, strategy } = trouble;
  const from = judged.find((one) => one.option.info.id === model && one.option.strategy === strategy);
  return from !== undefined && !isShut(from) && isStronger(options, from.option, option);
}

function isShut({ denial }: Judged): boolean {
  return denial !== null && denial.code !== 'gave-up';
}

/** Why the strongest option that did not give up may not work; null: all of them may. */
function shutOf(judged: readonly Judged[]): Denial | null {
  return judged.findLast(isShut)?.denial ?? null;
}

/**
 * If no option is allowed: after a failure, the work stops with its reason. A conversation that is only too long can be
 * shortened, and at a spending limit the user can be asked. Any other denial is final.
 */
function nobody(facts: ChoiceFacts, judged: readonly Judged[], compared: Comparison | null): Verdict {
  const { trouble } = facts;
  const shut = shutOf(judged);
  const long = judged.find(
    ({ option, denial }) =>
      denial?.code === 'context-fit' &&
      option.info.id !== trouble?.model &&
      !isPassed(facts, judged, option) &&
      isOnlyTooLong(option, facts),
  );
  if (long !== undefined) {
    const text = 'Only this model may continue, so the conversation is shortened for it.';
    return { chosen: long.option, layer: 'L0', code: 'context-fit', text };
  }
  if (trouble !== null) return stops(facts, shut, compared);
  // `runStep` decides about money: it asks, stops or continues locally, according to the options.
  const dear = judged.find(({ option, denial }) => denial?.code === 'budget' && isOnlyOverBudget(option, facts));
  if (dear !== undefined && !hasChoice(facts.options)) {
    const text = `No other model may continue. ${dear.denial?.text ?? ''}`;
    return { chosen: dear.option, layer: 'L0', code: 'budget', text };
  }
  const denial = judged.find(isShut)?.denial ?? judged[0]?.denial;
  return { chosen: null, layer: 'L0', code: denial?.code ?? 'nobody', text: denial?.text ?? 'No model is available.' };
}

/** The work stops after a failure: with its reason, and why no other model may go on. */
function stops({ trouble }: ChoiceFacts, shut: Denial | null, compared: Comparison | null): Verdict {
  const said = trouble?.text ?? '';
  const text = shut === null ? said : `${said} ${shut.text}`;
  const isDegraded = shut?.code === 'offline' && compared !== null;
  return { chosen: null, layer: 'L5', code: 'cascade-end', text, isDegraded };
}

/** One option was given, and it gave up. */
function alone(facts: ChoiceFacts, judged: readonly Judged[], open: readonly ModelOption[]): Verdict {
  const isOther = open.some(
    ({ info, strategy }) => info.id !== facts.trouble?.model || strategy !== facts.trouble.strategy,
  );
  return isOther ? asBefore(facts, open) : stops(facts, shutOf(judged), null);
}

interface Only {
  readonly option: ModelOption;
  readonly compared: Comparison | null;
}

/** Why the only model works where it does, when the policy says so. */
const byPolicy = {
  local: 'Your policy keeps the work on this machine.',
  cloud: 'Your policy sends the work to the cloud.',
} as const satisfies Record<ModelOption['info']['where'], string>;

function onlyOne(facts: ChoiceFacts, judged: readonly Judged[], { option, compared }: Only): Verdict {
  const denial = shutOf(judged);
  if (denial === null && facts.isChosenAnew === true) {
    const text = 'You chose it in the middle of the task.';
    return { chosen: option, layer: 'L1', code: 'choice', text };
  }
  if (denial === null) {
    const spent = judged.find((one) => one.denial !== null)?.denial ?? null;
    if (spent !== null) return { chosen: option, layer: 'L0', code: 'cascade', text: spent.text };
    const text = facts.policy === option.info.where ? byPolicy[facts.policy] : 'No other model is available.';
    return { chosen: option, layer: 'L0', code: 'only-model', text };
  }
  const best = compared?.best([option, ...facts.options]) ?? null;
  // Another service in the cloud is no worse place.
  const isHere = option.info.where === 'local';
  const isDegraded = isHere && denial.code === 'offline' && best !== null && wouldGoUp(facts, best.advantageUsd);
  return { chosen: option, layer: 'L0', code: denial.code, text: denial.text, isDegraded };
}

function wouldGoUp({ trajectory, numbers, trouble }: ChoiceFacts, advantageUsd: number | null): boolean {
  return (
    trouble !== null ||
    trajectory.consecutiveFailures >= numbers.consecutiveFailures ||
    (advantageUsd ?? 0) > numbers.marginUsd
  );
}

/** After an error: the last model that the hard rules allow, otherwise the local model, otherwise any that is left. */
function asBefore({ trajectory }: ChoiceFacts, open: readonly ModelOption[]): Verdict {
  const last = open.find(({ info }) => info.id === trajectory.last?.model);
  const chosen = last ?? open.find(({ info }) => info.where === 'local') ?? open[0] ?? null;
  const text = 'The options could not be compared, so the work stays where it was.';
  return { chosen, layer: 'L2', code: 'router-failed', text };
}

function safely<T>(decide: () => T): T | null {
  try {
    return decide();
  } catch (error) {
    // An error in the router must not stop the work.
    noteFailure('routing: the router failed', error);
    return null;
  }
}

/** L5: an option gave up. A stronger model goes on; without one, the same model by its other strategy. */
function afterTrouble(facts: ChoiceFacts, choice: Choice): Verdict | null {
  const { trouble, trajectory, numbers, options } = facts;
  if (trouble === null) return null;
  const { open, compared } = choice;
  const from = options.find(({ info, strategy }) => info.id === trouble.model && strategy === trouble.strategy);
  if (from === undefined) return null;
  if (trouble.cause === 'transport') return afterLoss(facts, choice, from);
  const own = open.filter((option) => option.info === from.info && option !== from);
  const stronger = open.filter((option) => isStronger(options, option, from));
  // What follows a recipe is the same model in the loop, unless a stronger one is worth its price.
  if (trouble.strategy === 'recipe' && own.length > 0 && trouble.isDoubted !== true)
    return byPlanRole(facts, choice) ?? byScore(facts, { ...choice, open: [...own, ...stronger] });
  const isSpent = trajectory.takeovers >= numbers.maxTakeovers && trouble.strategy === 'loop';
  const next = isSpent ? [] : stronger;
  const chosen = compared.best(next)?.option ?? next[0] ?? null;
  if (chosen !== null) {
    const layer = trouble.cause === 'checks' ? 'L4' : 'L5';
    return { chosen, layer, code: trouble.cause, text: `${from.info.label} made no progress: ${trouble.text}` };
  }
  const [other] = trouble.isDoubted === true || isSpent ? [] : own;
  if (other !== undefined) return { chosen: other, layer: 'L5', code: trouble.cause, text: trouble.text };
  return stops(facts, choice.denial, compared);
}

/** The provider of a model does not answer: the model nearest to it goes on. */
function afterLoss(facts: ChoiceFacts, { open, denial, compared }: Choice, from: ModelOption): Verdict {
  const { trouble, options } = facts;
  const place = options.indexOf(from);
  const [nearest] = open
    .filter(({ info }) => info !== from.info)
    .sort((left, right) => Math.abs(options.indexOf(left) - place) - Math.abs(options.indexOf(right) - place));
  if (nearest === undefined) return stops(facts, denial, compared);
  const text = `${from.info.label} does not answer, so ${nearest.info.label} goes on: ${trouble?.text ?? ''}`;
  return { chosen: nearest, layer: 'L5', code: 'transport', text };
}

/** L3 and L5: one bad signal is answered in place, with what went wrong. After several in a row, another model helps. */
function afterBadSignals(facts: ChoiceFacts, { open, compared }: Choice): Verdict | null {
  const { trajectory, numbers, options } = facts;
  const last = open.find(({ info }) => info.id === trajectory.last?.model);
  if (last === undefined || trajectory.consecutiveFailures === 0) return null;
  const stronger = open.filter((option) => isStronger(options, option, last));
  if (stronger.length === 0) return null;
  const isEnd = trajectory.boundary === 'done-said';
  if (trajectory.consecutiveFailures < numbers.consecutiveFailures) {
    const text = `${sentence(trajectory.lastSignal)} Trying again here, with the error shown.`;
    return { chosen: last, layer: isEnd ? 'L4' : 'L3', code: 'retry-here', text };
  }
  const row = `${trajectory.consecutiveFailures} failures in a row, the last: ${trajectory.lastSignal}.`;
  // A larger model on this machine costs nothing, so it takes over instead of giving advice.
  const adviser = stronger.findLast(({ info }) => info.where === 'cloud') ?? null;
  if (numbers.advice && !trajectory.isAdvised && adviser !== null) {
    const text = `${row} ${adviser.info.label} gives advice, and ${last.info.label} goes on.`;
    return { chosen: last, layer: 'L5', code: 'advice', text, adviser };
  }
  if (trajectory.takeovers >= numbers.maxTakeovers) return null;
  const chosen = compared.best(stronger)?.option ?? stronger[0] ?? null;
  const text = `${chosen?.info.label ?? 'Nobody'} takes over after ${row}`;
  return { chosen, layer: isEnd ? 'L4' : 'L5', code: 'bad-signals', text };
}

/** L1: the person answers a question, and the model that asked goes on. */
function answersTo({ driver, trajectory }: ChoiceFacts, { open }: Choice): Verdict | null {
  const asked = open.find(({ info }) => info.id === driver);
  if (asked === undefined || trajectory.steps > 0) return null;
  return { chosen: asked, layer: 'L1', code: 'answer', text: `The answer goes to ${asked.info.label}, which asked.` };
}

/**
 * L2: calls and their results stay with one model, a switch lasts for some steps, and models change only at safe
 * places.
 */
function staysTogether({ trajectory, numbers }: ChoiceFacts, { open }: Choice): Verdict | null {
  const last = open.find(({ info, strategy }) => info.id === trajectory.last?.model && strategy === 'loop');
  if (last === undefined || trajectory.boundary === 'message') return null;
  const stay = (code: string, text: string): Verdict => ({ chosen: last, layer: 'L2', code, text });
  if (trajectory.isLoopOpen) return stay('tool-loop', `${last.info.label} is reading the results that it asked for.`);
  if (last.info.where === 'cloud' && trajectory.takeovers >= numbers.maxTakeovers) {
    return stay('stays', `The smaller models used their tries, so ${last.info.label} finishes the task.`);
  }
  if (trajectory.takeovers > 0 && trajectory.stepsSinceSwitch < numbers.holdSteps) {
    return stay('hold', `After a switch, ${last.info.label} stays for at least ${numbers.holdSteps} steps.`);
  }
  return trajectory.boundary === null ? stay('no-boundary', 'This is no safe point to switch models.') : null;
}

/**
 * L1 and L2: the user's choice for a machine under strain. A model without a known price is used only if the local
 * model fails.
 */
function underStrain({ strain, trajectory }: ChoiceFacts, { open, compared }: Choice): Verdict | null {
  const cloud = open.filter(({ info }) => info.where === 'cloud');
  const best = compared.best(cloud);
  if (strain === undefined || best === null) return null;
  const layer = trajectory.steps === 0 ? 'L1' : 'L2';
  return { chosen: best.option, layer, code: 'strain', text: `${best.option.info.label} does it, because ${strain}.` };
}

function sentence(text: string): string {
  return text === '' ? '' : `${capital(text)}.`;
}
