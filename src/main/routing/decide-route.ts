import type { Role } from '@shared/routing/routing.ts';
import type { Decision, Denial, RouteFacts, Rule, RouteCandidate, WeighedCandidate } from './define.ts';
import { featuresOf } from './routing-features.ts';
import { hardDenial, isOnlyOverBudget, isOnlyTooLong } from './hard-rules.ts';
import type { Score } from './weigh-candidates.ts';
import { reviewWorthUsd, weigh } from './weigh-candidates.ts';
import { noteFailure } from '../lib/log.ts';

type Verdict = Pick<Decision, 'chosen' | 'layer' | 'code' | 'text'> &
  Partial<Pick<Decision, 'wantsAdvice' | 'isDegraded'>>;

interface Judged {
  readonly candidate: RouteCandidate;
  readonly denial: Denial | null;
}

/**
 * Where a step runs, and why. Pure: the same facts give the same decision. The layers are asked in turn, cheapest and
 * hardest first. If the hard rules throw, only this machine is allowed; if a later layer throws, the last model that
 * the hard rules allow is used. Never throws.
 */
export function decideRoute(facts: RouteFacts, rules: readonly Rule[]): Decision {
  const judged = judgeAll(facts);
  const open = judged.filter(({ denial }) => denial === null).map(({ candidate }) => candidate);
  const score = scoreOf(facts, rules);
  const verdict = safely(() => verdictOf(facts, judged, open, score)) ?? asBefore(facts, open);
  const { chosen } = verdict;
  const options = (score?.options ?? facts.candidates.map(unweighed)).map((option) => {
    const denial = judged.find(({ candidate }) => candidate.info.id === option.model)?.denial ?? null;
    return denial === null ? option : { ...option, denied: { code: denial.code, text: denial.text } };
  });
  return {
    wantsAdvice: false,
    isDegraded: false,
    ...verdict,
    runnerUp: facts.candidates.find((candidate) => candidate !== chosen) ?? null,
    votes: score?.votes ?? [],
    gain: score?.gain ?? null,
    features: score?.features ?? keptFeatures(facts),
    options,
  };
}

function unweighed({ info: { id: model, where } }: RouteCandidate): WeighedCandidate {
  return { model, where, denied: null, costUsd: null, seconds: null, restUsd: null };
}

const broken: Denial = { code: 'policy', text: 'The rules on what may leave this machine could not be read.' };

function judgeAll(facts: RouteFacts): readonly Judged[] {
  return facts.candidates.map((candidate) => {
    try {
      return { candidate, denial: hardDenial(candidate, facts) };
    } catch (error) {
      // An error here must not allow the cloud.
      noteFailure('routing: a denial failed, so the cloud is not used', error);
      return { candidate, denial: candidate.info.where === 'local' ? null : broken };
    }
  });
}

/** Null: it threw, so the router decides without a score. */
function scoreOf(facts: RouteFacts, rules: readonly Rule[]): Score | null {
  // Without a choice there is nothing to weigh.
  if (facts.candidates.length < 2) return null;
  try {
    return weigh(facts, rules, blockOf(facts));
  } catch (error) {
    // An error in a vote must not stop the work.
    noteFailure('routing: a rule failed', error);
    return null;
  }
}

function keptFeatures(facts: RouteFacts): Decision['features'] {
  try {
    return featuresOf(facts, facts.candidates.find(({ info }) => info.where === 'local') ?? null);
  } catch (error) {
    // An error in the data kept for learning must not stop the work.
    noteFailure('routing: what was learned could not be used', error);
    return {};
  }
}

/**
 * The number of steps that the decision covers: at the start the whole task, later the next stretch, and one step for a
 * question outside the conversation.
 */
function blockOf({ purpose, trajectory, numbers }: RouteFacts): number {
  if (!isOfConversation(purpose)) return 1;
  return trajectory.steps === 0 ? numbers.taskSteps : numbers.blockSteps;
}

function isOfConversation(purpose: RouteFacts['purpose']): boolean {
  return purpose === 'act' || purpose === 'plan';
}

function verdictOf(
  facts: RouteFacts,
  judged: readonly Judged[],
  open: readonly RouteCandidate[],
  score: Score | null,
): Verdict {
  const [first, second] = open;
  if (first === undefined) return nobody(facts, judged);
  if (second === undefined) return onlyOne(facts, judged, first, score);
  const local = open.find((candidate) => candidate.info.where === 'local') ?? first;
  const cloud = open.find((candidate) => candidate.info.where === 'cloud') ?? second;
  if (score === null) return asBefore(facts, open);
  return choose(facts, { local, cloud }, score);
}

/**
 * If no candidate is allowed: a conversation that is only too long can be shortened, and at a spending limit the user
 * can be asked. Any other denial is final.
 */
function nobody(facts: RouteFacts, judged: readonly Judged[]): Verdict {
  const long = judged.find(
    ({ candidate, denial }) => denial?.code === 'context-fit' && isOnlyTooLong(candidate, facts),
  );
  if (long !== undefined) {
    return {
      chosen: long.candidate,
      layer: 'L0',
      code: 'context-fit',
      text: 'Only this model may continue, so the conversation is shortened for it.',
    };
  }
  // `runStep` decides about money: it asks, stops or continues locally, according to the options.
  const dear = judged.find(({ candidate, denial }) => denial?.code === 'budget' && isOnlyOverBudget(candidate, facts));
  if (dear !== undefined && facts.candidates.length === 1) {
    return {
      chosen: dear.candidate,
      layer: 'L0',
      code: 'budget',
      text: `No other model may continue. ${dear.denial?.text ?? ''}`,
    };
  }
  const denial = judged[0]?.denial;
  return { chosen: null, layer: 'L0', code: denial?.code ?? 'nobody', text: denial?.text ?? 'No model is available.' };
}

function onlyOne(
  facts: RouteFacts,
  judged: readonly Judged[],
  candidate: RouteCandidate,
  score: Score | null,
): Verdict {
  const { trouble } = facts;
  const denial = judged.find((one) => one.denial !== null)?.denial ?? null;
  if (trouble !== null && trouble.model === candidate.info.id) {
    const text = denial === null ? trouble.text : `${trouble.text} ${denial.text}`;
    return { chosen: null, layer: 'L5', code: 'cascade-end', text, isDegraded: denial?.code === 'offline' };
  }
  if (denial === null)
    return { chosen: candidate, layer: 'L0', code: 'only-model', text: 'No other model is available.' };
  const isDegraded = denial.code === 'offline' && score !== null && wouldGoUp(facts, score);
  return { chosen: candidate, layer: 'L0', code: denial.code, text: denial.text, isDegraded };
}

function wouldGoUp({ trajectory, numbers, trouble }: RouteFacts, score: Score): boolean {
  return (
    trouble !== null ||
    trajectory.consecutiveFailures >= numbers.consecutiveFailures ||
    (score.advantageUsd ?? 0) > numbers.marginUsd
  );
}

/** After an error: the last model that the hard rules allow, otherwise the local model, otherwise any that is left. */
function asBefore({ trajectory }: RouteFacts, open: readonly RouteCandidate[]): Verdict {
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

interface Pair {
  readonly local: RouteCandidate;
  readonly cloud: RouteCandidate;
}

/** Chooses if both are allowed: failures first, then what must stay together, then the score. */
function choose(facts: RouteFacts, pair: Pair, score: Score): Verdict {
  if (facts.purpose === 'review') return reviewed(facts, pair, score);
  if (!isOfConversation(facts.purpose)) return byRole(facts, pair, score);
  return (
    afterTrouble(facts, pair) ??
    afterBadSignals(facts, pair) ??
    staysTogether(facts, pair) ??
    underStrain(facts, pair, score) ??
    byScore(facts, pair, score, facts.trajectory.steps === 0 ? 'L1' : 'L2')
  );
}

/**
 * L2: a question outside the conversation goes to the model of its role. A question that failed in the cloud does not
 * return to it.
 */
function byRole(facts: RouteFacts, pair: Pair, score: Score): Verdict {
  const { local, cloud } = pair;
  const own = [local, cloud].find(({ info }) => info.id === facts.driver);
  if (own === undefined) return byScore(facts, pair, score, 'L2');
  const role = roleOf[facts.purpose];
  const place = role === null ? 'own' : (facts.numbers.roles?.[role] ?? 'own');
  const what = role === null ? 'This' : roleNames[role];
  if (place === 'local') {
    return { chosen: local, layer: 'L2', code: 'role', text: `${what} runs on this machine in this profile.` };
  }
  if (place === 'score' && own === local) return byScore(facts, pair, score, 'L2');
  const text = `${what} stays with the model that works on the task.`;
  return { chosen: own, layer: 'L2', code: 'role', text };
}

const roleOf: Readonly<Record<RouteFacts['purpose'], Role | null>> = {
  act: null,
  plan: null,
  locate: 'context',
  choose: 'context',
  propose: 'edit',
  answer: 'answer',
  summarize: 'summary',
  title: 'title',
  advise: null,
  review: null,
  sample: null,
  embed: null,
};

const roleNames: Readonly<Record<Role, string>> = {
  context: 'A search',
  edit: 'An edit',
  answer: 'An answer',
  summary: 'A summary',
  title: 'A title',
};

/** L4: whether a cloud model reviews work that was done locally. Choosing the local model means no review. */
function reviewed(facts: RouteFacts, { local, cloud }: Pair, { gain, options }: Score): Verdict {
  const most = facts.numbers.reviews ?? 0;
  const no = (code: string, text: string): Verdict => ({ chosen: local, layer: 'L4', code, text });
  if (facts.trajectory.reviews >= most) return no('reviews-spent', `The limit of ${most} reviews is reached.`);
  const costUsd = options.find(({ model }) => model === cloud.info.id)?.costUsd ?? null;
  if (costUsd === null) return no('unpriced', `${cloud.info.label} has no known price.`);
  const worthUsd = reviewWorthUsd(facts, gain);
  if (worthUsd <= costUsd)
    return no('review-dear', `A check by the cloud costs about ${about(costUsd)}, more than it is likely to save.`);
  const what = facts.isDoubtful === true ? 'The result is doubtful' : 'The local model says that it is done';
  const text = `${what}. A check costs about ${about(costUsd)} and may save a retry.`;
  return { chosen: cloud, layer: 'L4', code: 'review', text };
}

/** L5: the driving model cannot continue. */
function afterTrouble({ trouble, trajectory, numbers }: RouteFacts, { local, cloud }: Pair): Verdict | null {
  if (trouble === null) return null;
  if (trouble.model === cloud.info.id) {
    const canHelp = trouble.cause === 'transport';
    if (!canHelp) return { chosen: null, layer: 'L5', code: 'cascade-end', text: trouble.text };
    return { chosen: local, layer: 'L5', code: 'transport', text: `The cloud is unreachable: ${trouble.text}` };
  }
  if (trajectory.takeovers >= numbers.maxTakeovers) {
    return { chosen: null, layer: 'L5', code: 'cascade-end', text: trouble.text };
  }
  const layer = trouble.cause === 'checks' ? 'L4' : 'L5';
  return { chosen: cloud, layer, code: trouble.cause, text: `The local model made no progress: ${trouble.text}` };
}

/** L3 and L5: one bad signal is answered locally, with what went wrong. After several in a row, another model helps. */
function afterBadSignals({ trajectory, numbers }: RouteFacts, { local, cloud }: Pair): Verdict | null {
  if (trajectory.last?.model !== local.info.id || trajectory.consecutiveFailures === 0) return null;
  const isEnd = trajectory.boundary === 'done-said';
  if (trajectory.consecutiveFailures < numbers.consecutiveFailures) {
    const text = `${sentence(trajectory.lastSignal)} Trying again here, with the error shown.`;
    return { chosen: local, layer: isEnd ? 'L4' : 'L3', code: 'retry-here', text };
  }
  const row = `${trajectory.consecutiveFailures} failures in a row, the last: ${trajectory.lastSignal}.`;
  if (numbers.advice && !trajectory.isAdvised) {
    const text = `${row} A stronger model gives advice, and the work continues here.`;
    return { chosen: local, layer: 'L5', code: 'advice', text, wantsAdvice: true };
  }
  if (trajectory.takeovers >= numbers.maxTakeovers) return null;
  return {
    chosen: cloud,
    layer: isEnd ? 'L4' : 'L5',
    code: 'bad-signals',
    text: `The cloud takes over after ${row}`,
  };
}

/**
 * L2: calls and their results stay with one model, a switch lasts for some steps, and models change only at safe
 * places.
 */
function staysTogether({ trajectory, numbers }: RouteFacts, { local, cloud }: Pair): Verdict | null {
  const last = [local, cloud].find((candidate) => candidate.info.id === trajectory.last?.model);
  if (last === undefined || trajectory.boundary === 'message') return null;
  const stay = (code: string, text: string): Verdict => ({ chosen: last, layer: 'L2', code, text });
  if (trajectory.isLoopOpen) return stay('tool-loop', 'The model is reading the results that it asked for.');
  if (last === cloud && trajectory.takeovers >= numbers.maxTakeovers) {
    return stay('stays', 'The local model used its tries, so the cloud finishes the task.');
  }
  if (trajectory.takeovers > 0 && trajectory.stepsSinceSwitch < numbers.holdSteps) {
    return stay('hold', `After a switch, the model stays for at least ${numbers.holdSteps} steps.`);
  }
  return trajectory.boundary === null ? stay('no-boundary', 'This is no safe point to switch models.') : null;
}

/**
 * L1 and L2: the user's choice for a machine under strain. A model without a known price is used only if the local
 * model fails.
 */
function underStrain({ strain, trajectory }: RouteFacts, { cloud }: Pair, { advantageUsd }: Score): Verdict | null {
  if (strain === undefined || advantageUsd === null) return null;
  const layer = trajectory.steps === 0 ? 'L1' : 'L2';
  return { chosen: cloud, layer, code: 'strain', text: `The cloud does it, because ${strain}.` };
}

/** L1 and L2: the expected gain against the expected cost until the end. In doubt, work starts and stays local. */
function byScore(
  { trajectory, numbers }: RouteFacts,
  { local, cloud }: Pair,
  score: Score,
  layer: 'L1' | 'L2',
): Verdict {
  const { advantageUsd } = score;
  const last = [local, cloud].find((candidate) => candidate.info.id === trajectory.last?.model) ?? null;
  if (advantageUsd === null) {
    const text = `${cloud.info.label} has no known price, so it is used only where this machine fails.`;
    return { chosen: last ?? local, layer, code: 'unpriced', text };
  }
  // The remaining cost of a task is too uncertain to weigh it against work that small local models have never done
  // correctly.
  if (score.votes.some(({ rule }) => rule === 'new-work') && (trajectory.steps === 0 || last === cloud)) {
    const text =
      'The task asks for something new that no test judges, and the local model is small: the cloud does it.';
    return { chosen: cloud, layer, code: 'gain', text };
  }
  if (last === cloud && trajectory.steps > 0) return leaves(numbers.marginUsd, { local, cloud }, score, advantageUsd);
  const gain = `would help in about ${percent(score.gain)} of such cases`;
  if (advantageUsd > numbers.marginUsd) {
    const text = `The cloud is worth its price: it ${gain}, a gain of ${money(advantageUsd)}.`;
    return { chosen: cloud, layer, code: 'gain', text };
  }
  const text = `This machine ${trajectory.steps === 0 ? 'starts' : 'continues'}: the cloud ${gain}, ${weighed(advantageUsd)}.`;
  return { chosen: local, layer, code: 'local-first', text };
}

function weighed(advantageUsd: number): string {
  return advantageUsd < 0 ? `but costs ${money(-advantageUsd)} more than that is worth` : 'too few to switch';
}

function leaves(marginUsd: number, { local, cloud }: Pair, score: Score, advantageUsd: number): Verdict {
  if (advantageUsd > -marginUsd) {
    return {
      chosen: cloud,
      layer: 'L2',
      code: 'gain',
      text: `The work stays in the cloud: a gain of ${money(advantageUsd)}.`,
    };
  }
  if (score.isLeavingRisky) {
    const text = 'The work stays in the cloud: switching back now and returning later could cost more.';
    return { chosen: cloud, layer: 'L2', code: 'cache', text };
  }
  return {
    chosen: local,
    layer: 'L2',
    code: 'back-home',
    text: `Back to this machine, which saves ${money(-advantageUsd)}.`,
  };
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** An expected cost in words: cents say more than digits that nobody knows. */
function about(usd: number): string {
  const cents = Math.round(usd * 100);
  if (cents === 0) return 'a fraction of a cent';
  return cents < 100 ? `${cents} cent${cents === 1 ? '' : 's'}` : money(usd);
}

function money(usd: number): string {
  const digits = Math.abs(usd) < 0.01 ? 4 : 2;
  return `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(digits)}`;
}
