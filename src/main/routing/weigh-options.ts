import { chanceOf } from '@shared/routing/chance-of-votes.ts';
import type { Correction } from '@shared/routing/routing.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import type { TaskKind } from '@shared/money/task-needs.ts';
import { guessInterval } from '@shared/money/usual-task.ts';
import type { Tally } from '@shared/routing/priors.ts';
import { expectedRestUsd, usualStepsOf } from './usual-steps.ts';
import type { Features, ChoiceFacts, PairNames, Rule, ModelOption, Vote, WeighedOption, Pair } from './define.ts';
import { abilityIn } from './ability.ts';
import { shareOf } from './share-of-gain.ts';
import type { LearnedScore } from './learned-score.ts';
import { replacedRules, scoreNamed, votesOfScore } from './learned-score.ts';
import { correctedFails, noCorrection } from './record/fit-calibration.ts';
import { featuresOf } from './routing-features.ts';
import type { CacheFacts, Outlook } from './switch-price.ts';
import { callUsd, nothingCached, savedUsd, switchPrice } from './switch-price.ts';

/** The score of a step with everything that it was computed from. */
export interface Score {
  readonly features: Features;
  readonly votes: readonly Vote[];
  /** The chance that the stronger model does the rest of the task and the weaker one does not. */
  readonly gain: number;
  /** The chance, by the votes alone, that the weaker model does not do the rest. */
  readonly failsByVotes: number;
  /** How much more the next stretch is worth with the stronger model, in US dollars; null: no price is known. */
  readonly advantageUsd: number | null;
  /** The steps that this was counted for. */
  readonly steps: number;
  /**
   * What the rest of the task is likely to cost with the stronger model. Null: its price is not known, or its own record
   * says how many steps such tasks take.
   */
  readonly guess: CostGuess | null;
  /** Leaving the stronger model now could cost more than staying with it. */
  readonly isLeavingRisky: boolean;
  readonly options: readonly WeighedOption[];
}

/** A cost in US dollars by what tasks of the kind usually take. */
export interface CostGuess {
  readonly kind: Exclude<TaskKind, 'chat'>;
  readonly usd: Interval;
}

/** Log odds before anything is known: a local model fails slightly less often than not. */
const BASE = -0.4;
/**
 * How often a wrong local result is accepted: if tests judge every try of a recipe and the cloud is asked when they
 * reject them all; with a check at the end; and without one.
 */
const UNDETECTED = { judged: 0.02, checked: 0.15, unchecked: 0.5 } as const;
/** Used until a model has been seen at work. */
const GUESS = { localStepMs: 20_000, cloudStepMs: 8_000, outputTokens: 400, resultTokens: 600 } as const;

/**
 * L2: the votes, prices and times of a pair, and the resulting score. `block`: the steps that the decision covers.
 */
export function weigh(facts: ChoiceFacts, rules: readonly Rule[], { pair, block }: Weighing): Score {
  const { weaker, stronger } = pair;
  const features = featuresOf(facts, pair);
  const names = { weaker: weaker?.info.label ?? 'The model', stronger: stronger?.info.label ?? 'A stronger model' };
  const seen = { features, names };
  const learned = weaker === null ? null : scoreNamed(facts.numbers.score);
  const votes = [...scoreVotes(facts, learned, { seen, weaker }), ...ruleVotes(facts, rules, { seen, learned })];
  const sum = votes.reduce(
    (total, { toward, weight }) => total + (toward === 'cloud' ? weight : -weight),
    learned === null ? BASE : 0,
  );
  const failsByVotes = chanceOf(sum);
  const fails = correctedFails(failsByVotes, correctionIn(facts, learned === null ? null : weaker));
  const gain = fails * pair.share;
  const outlook = outlookOf(facts, { weaker, stronger, gain, block });
  const stretch = Math.min(block, outlook.blockSteps);
  const cache = stronger === null ? nothingCached : cacheOf(facts, stronger);
  const price = stronger === null ? null : switchPrice(stronger.info.price, outlook, cache);
  const saved = stronger === null ? 0 : savedByWeaker(facts, weaker, stronger);
  const restUsd = stronger === null ? null : restOf(facts, stronger, { outlook, cache });
  const ownUsd = weaker === null ? 0 : ownCost(facts, weaker, outlook);
  return {
    features,
    votes: learned === null ? votes : [...votes].sort((left, right) => right.weight - left.weight),
    gain,
    failsByVotes,
    advantageUsd:
      price === null ? null : valueOf(facts, pair, { outlook, block: stretch }) - paced(facts, price.extraUsd - ownUsd),
    steps: stretch,
    guess: restUsd === null || hasCount(facts, stronger) ? null : { kind: kindOf(facts), usd: guessInterval(restUsd) },
    isLeavingRisky: price !== null && price.riskUsd > Math.max(0, saved),
    options: [weaker, stronger]
      .filter((one) => one !== null)
      .map((one) => {
        const isWeaker = one === weaker;
        const option = optionOf(facts, one, { outlook, cache, gain, restUsd, isWeaker });
        return learned === null ? option : { ...option, solves: isWeaker ? 1 - fails : solvesOf(fails, gain, pair) };
      }),
  };
}

/** A dollar counts more while the month's limit is used faster than it lasts. */
function paced({ numbers: { pace = 1 } }: ChoiceFacts, usd: number): number {
  return usd > 0 ? usd * pace : usd;
}

function correctionIn(facts: ChoiceFacts, weaker: ModelOption | null): Correction {
  const own = weaker === null ? undefined : facts.numbers.calibration?.[weaker.info.id];
  return own?.[kindOf(facts)] ?? noCorrection;
}

interface Weighing {
  readonly pair: Pair;
  readonly block: number;
}

/** What the weaker option itself costs for the same stretch, in US dollars. 0 on this machine, and without a price. */
function ownCost(facts: ChoiceFacts, weaker: ModelOption, outlook: Outlook): number {
  return switchPrice(weaker.info.price, outlook, cacheOf(facts, weaker))?.extraUsd ?? 0;
}

interface Seen {
  readonly features: Features;
  readonly names: PairNames;
}

/** What the learned score says, as votes. The person can give it a weight like that of a rule. */
function scoreVotes(
  { numbers, purpose }: ChoiceFacts,
  learned: LearnedScore | null,
  { seen, weaker }: { readonly seen: Seen; readonly weaker: ModelOption | null },
): readonly Vote[] {
  if (learned === null || weaker === null) return [];
  const { features, names } = seen;
  const ability = abilityIn(weaker.info, numbers, purpose);
  const factor = numbers.weights?.['solve-score'] ?? 1;
  if (factor === 0) return [];
  return votesOfScore(learned, { features, ability }, names).map((vote) => ({ ...vote, weight: vote.weight * factor }));
}

/** The votes of rules. Where a learned score decides, those that it has learned instead are left out. */
function ruleVotes(
  { numbers }: ChoiceFacts,
  rules: readonly Rule[],
  { seen, learned }: { readonly seen: Seen; readonly learned: LearnedScore | null },
): readonly Vote[] {
  const voting = learned === null ? rules : rules.filter(({ id }) => !replacedRules.has(id));
  return voting.flatMap((rule) => votesOf(rule, seen, numbers.weights?.[rule.id] ?? 1));
}

/** The stronger one does what the weaker one does, less what it loses, and what it gains. */
function solvesOf(fails: number, gain: number, { loss = 0 }: Pair): number {
  return Math.max(0, 1 - fails - loss) + gain;
}

/** `factor`: the weight of a rule's votes; with 0 they are not cast. */
function votesOf(rule: Rule, { features, names }: Seen, factor: number): readonly Vote[] {
  if (factor === 0) return [];
  return rule.vote(features, names).map((vote) => ({ rule: rule.id, ...vote, weight: vote.weight * factor }));
}

interface Prospect extends Pick<Pair, 'weaker' | 'stronger'> {
  readonly gain: number;
  readonly block: number;
}

function outlookOf(facts: ChoiceFacts, { weaker, stronger, gain, block }: Prospect): Outlook {
  const { trajectory, numbers } = facts;
  const here = weaker === null ? undefined : trajectory.models[weaker.info.id];
  const there = stronger === null ? undefined : trajectory.models[stronger.info.id];
  const outputTokens =
    (trajectory.last?.model === stronger?.info.id ? there : here)?.outputTokens ?? GUESS.outputTokens;
  const usual = usualCallsLeft(facts, stronger);
  const stepsLeft = usual ?? Math.max(numbers.blockSteps, numbers.taskSteps - trajectory.steps);
  return {
    promptTokens: stronger?.promptTokens ?? weaker?.promptTokens ?? 0,
    outputTokens,
    grownTokens: outputTokens + GUESS.resultTokens,
    stepsLeft,
    blockSteps: usual === null ? block : Math.min(block, usual),
    hazard: 1 - (1 - gain) ** (1 / stepsLeft),
    localStepMs: here?.stepMs ?? stepGuess(weaker),
    cloudStepMs: there?.stepMs ?? stepGuess(stronger, weaker),
  };
}

/** Of two models on this machine, the larger one is slower by its size. */
function stepGuess(option: ModelOption | null, than: ModelOption | null = null): number {
  if (option?.info.where === 'cloud') return GUESS.cloudStepMs;
  const [own, other] = [option?.info.parametersB ?? null, than?.info.parametersB ?? null];
  return GUESS.localStepMs * (own === null || other === null ? 1 : Math.max(1, own / other));
}

/**
 * How many turns of this model must be counted before its usual number of calls is used, and the weight of the guess
 * beside them.
 */
const believed = { turns: 2, guess: 0.25 } as const;

/**
 * The number of calls that the stronger model is likely to make until the end, from tasks in this home that it worked
 * on, without those that it has made already. Null: too few are known, so as many as a task may have are counted: in
 * doubt, work starts and stays cheap.
 */
function usualCallsLeft({ numbers, trajectory }: ChoiceFacts, stronger: ModelOption | null): number | null {
  const { priors, taskSteps } = numbers;
  const known = stronger === null ? undefined : priors?.[stronger.info.id]?.act;
  if (stronger === null || known?.calls === undefined || known.tries < believed.turns) return null;
  const each = (known.calls + taskSteps * believed.guess) / (known.tries + believed.guess);
  const made = trajectory.last?.model === stronger.info.id && trajectory.steps > 0 ? trajectory.stepsSinceSwitch : 0;
  return Math.max(1, Math.round(each) - made);
}

/** The kind of the task, by what is known of it while it runs. */
function kindOf({ task, trajectory }: ChoiceFacts): CostGuess['kind'] {
  return task.isQuestion ? 'question' : trajectory.wasGreenBefore === false ? 'repair' : 'change';
}

/** The count of a model's steps in tasks like this one. Only tasks with a check are counted, so no question is. */
function countOf(facts: ChoiceFacts, { info }: ModelOption): Tally | undefined {
  return kindOf(facts) === 'question' ? undefined : facts.numbers.priors?.[info.id]?.act;
}

/** Whether enough tasks of this model were counted to say how many steps the rest takes. */
function hasCount(facts: ChoiceFacts, option: ModelOption | null): boolean {
  return option !== null && countOf(facts, option) !== undefined && usualCallsLeft(facts, option) !== null;
}

/** A clock that was set back must not give a negative age. */
function cacheOf({ trajectory, numbers, now }: ChoiceFacts, { info }: ModelOption): CacheFacts {
  const known = trajectory.models[info.id];
  const lifeMs = numbers.cacheLifeSeconds * 1000;
  if (known === undefined) return { ...nothingCached, lifeMs };
  return { cachedTokens: known.cachedTokens, ageMs: Math.max(0, now - known.cachedAt), lifeMs };
}

function savedByWeaker({ trajectory }: ChoiceFacts, weaker: ModelOption | null, stronger: ModelOption): number {
  const here = weaker === null ? undefined : trajectory.models[weaker.info.id];
  const forgotten = trajectory.models[stronger.info.id]?.forgottenTokens ?? 0;
  return savedUsd(stronger.info.price, here ?? { readTokens: 0, writtenTokens: 0 }, forgotten);
}

/** The value of a review in US dollars: what it may find that nothing else would. */
export function reviewWorthUsd({ numbers, trajectory, isDoubtful }: ChoiceFacts, gain: number): number {
  const isChecked = trajectory.isGreen === true && trajectory.wasGreenBefore !== true && isDoubtful !== true;
  return gain * (isChecked ? UNDETECTED.checked : UNDETECTED.unchecked) * numbers.valueUsd;
}

/** The value of the stronger model for a stretch: avoided mistakes that nobody would notice, and the waiting time. */
function valueOf(
  { numbers, task, isRecipeChecked }: ChoiceFacts,
  { weaker, loss = 0 }: Pair,
  { outlook, block }: { readonly outlook: Outlook; readonly block: number },
): number {
  const checked = weaker?.strategy === 'recipe' && isRecipeChecked ? UNDETECTED.judged : UNDETECTED.checked;
  const undetected = task.hasCheck ? checked : UNDETECTED.unchecked;
  const fails = 1 - (1 - outlook.hazard) ** block;
  const minutes = ((outlook.localStepMs - outlook.cloudStepMs) * block) / 60_000;
  const gained = fails - loss * (block / outlook.stepsLeft);
  return gained * undetected * numbers.valueUsd + minutes * numbers.minuteUsd;
}

interface Costs {
  readonly outlook: Outlook;
  readonly cache: CacheFacts;
  readonly gain: number;
  /** What the stronger option costs to the end; null: no price is known. */
  readonly restUsd: number | null;
  readonly isWeaker: boolean;
}

/**
 * This call, and as many more of the usual size as the stronger option usually makes in such a task, by its count in
 * this home and by the kind of task.
 */
function restOf(
  facts: ChoiceFacts,
  option: ModelOption,
  { outlook, cache }: Pick<Costs, 'outlook' | 'cache'>,
): number | null {
  const { info, promptTokens } = option;
  const next = callUsd(info.price, outlook, cache);
  if (info.price === null || next === null) return null;
  const usual = usualStepsOf(kindOf(facts), countOf(facts, option));
  const [all, first] = [usual, { ...usual, calls: 1 }];
  const { price } = info;
  return next + expectedRestUsd(price, promptTokens, all) - expectedRestUsd(price, promptTokens, first);
}

function optionOf(facts: ChoiceFacts, option: ModelOption, costs: Costs): WeighedOption {
  const { outlook, cache, gain, restUsd, isWeaker } = costs;
  const { info, promptTokens } = option;
  const { outputTokens } = outlook;
  const own = isWeaker ? cacheOf(facts, option) : cache;
  const costUsd = callUsd(info.price, { promptTokens, outputTokens }, info.where === 'local' ? nothingCached : own);
  const rest = restUsd === null ? null : isWeaker ? gain * restUsd : restUsd;
  const isAlone = facts.options.length === 1 && info.where === 'local';
  return {
    ...optionWithoutCosts(option),
    ability: abilityIn(info, facts.numbers, facts.purpose),
    costUsd,
    seconds: secondsOf(facts, option, outputTokens),
    restUsd: isAlone ? costUsd : rest,
  };
}

/** From the speeds of earlier calls; null for a model that has not been called yet. */
function secondsOf(
  { trajectory }: ChoiceFacts,
  { info, promptTokens }: ModelOption,
  outputTokens: number,
): number | null {
  const known = trajectory.models[info.id];
  if (known === undefined) return null;
  const { prefillPerSecond, decodePerSecond, cachedTokens, callMs } = known;
  if (prefillPerSecond === null || decodePerSecond === null) return callMs / 1000;
  const kept = trajectory.last?.model === info.id ? Math.min(cachedTokens, promptTokens) : 0;
  return (promptTokens - kept) / prefillPerSecond + outputTokens / decodePerSecond;
}

/** An option with what it is worth more than the first one, in US dollars. */
interface Worth {
  readonly option: ModelOption;
  readonly advantageUsd: number;
}

/** How the options of one decision compare. Each is weighed against the first open one, the cheapest to begin with. */
export interface Comparison {
  /** In the order of the facts. */
  readonly options: readonly WeighedOption[];
  readonly weighed: (option: ModelOption) => WeighedOption;
  /** How the pair of this option and the first one scored; for the first and for null, the pair of the strongest. */
  readonly scoreOf: (option: ModelOption | null) => Score | null;
  /** Null: its price is not known. 0 for the first one. */
  readonly advantage: (option: ModelOption) => number | null;
  /**
   * The option that is worth most among these; the first wins a tie. Options without a known price are left out. Null:
   * none is left.
   */
  readonly best: (among: readonly ModelOption[]) => Worth | null;
}

interface Compared {
  /** The options that may work. */
  readonly open: readonly ModelOption[];
  /** The steps that the decision covers. */
  readonly block: number;
}

export function compareOptions(facts: ChoiceFacts, rules: readonly Rule[], { open, block }: Compared): Comparison {
  const [base = null] = open.length > 0 ? open : facts.options;
  const models = new Map<ModelOption, Score>();
  for (const option of facts.options) {
    if (option.info === base?.info) continue;
    const pair = { weaker: base, stronger: option, ...shareOf(facts, base, option) };
    models.set(option, weigh(facts, rules, { pair, block }));
  }
  const strongest = [...models.keys()].at(-1) ?? null;
  const alone = strongest === null ? weigh(facts, rules, { pair: pairOf(facts.options), block }) : null;
  const scoreOf = (option: ModelOption | null): Score | null =>
    (option === null ? undefined : models.get(option)) ??
    (strongest === null ? undefined : models.get(strongest)) ??
    alone;
  const weighed = (option: ModelOption): WeighedOption => {
    const { options } = scoreOf(option) ?? { options: [] };
    const found = options.find(({ model, strategy }) => model === option.info.id && strategy === option.strategy);
    return found ?? { ...optionWithoutCosts(option), ability: abilityIn(option.info, facts.numbers, facts.purpose) };
  };
  const advantage = (option: ModelOption): number | null =>
    option.info === base?.info ? 0 : (models.get(option)?.advantageUsd ?? null);
  return {
    options: facts.options.map(weighed),
    weighed,
    scoreOf,
    advantage,
    best: (among) => {
      let found: Worth | null = null;
      for (const option of among) {
        const advantageUsd = advantage(option);
        if (advantageUsd !== null && (found === null || advantageUsd > found.advantageUsd))
          found = { option, advantageUsd };
      }
      return found;
    },
  };
}

/** An option of which no cost is known. */
export function optionWithoutCosts({ info: { id: model, where, effort }, strategy }: ModelOption): WeighedOption {
  const thinking = effort === undefined ? {} : { effort };
  return { model, where, strategy, ...thinking, denied: null, costUsd: null, seconds: null, restUsd: null };
}

/** The first and the last model of the options, as a pair. */
export function pairOf(options: readonly ModelOption[]): Pair {
  const [first = null] = options;
  const last = options.findLast(({ info }) => info !== first?.info) ?? null;
  if (last !== null) return { weaker: first, stronger: last, share: 1 };
  return first?.info.where === 'cloud'
    ? { weaker: null, stronger: first, share: 1 }
    : { weaker: first, stronger: null, share: 1 };
}

/** Whether one option's model stands above another's in the person's order. */
export function isStronger(options: readonly ModelOption[], option: ModelOption, than: ModelOption): boolean {
  const place = (one: ModelOption): number => options.findIndex(({ info }) => info === one.info);
  return place(option) > place(than);
}
