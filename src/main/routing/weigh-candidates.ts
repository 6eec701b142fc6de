import { chanceOf } from '@shared/routing/routing.ts';
import type { Features, RouteFacts, Rule, RouteCandidate, Vote, WeighedCandidate } from './define.ts';
import { featuresOf } from './routing-features.ts';
import type { CacheFacts, Outlook, SwitchPrice } from './switch-price.ts';
import { callUsd, nothingCached, savedUsd, switchPrice } from './switch-price.ts';

/** The score of a step with everything that it was computed from. */
export interface Score {
  readonly features: Features;
  readonly votes: readonly Vote[];
  /** The chance that the cloud does the rest of the task and the local model does not. */
  readonly gain: number;
  /** How much more the next stretch is worth in the cloud than locally, in US dollars; null: no price is known. */
  readonly advantageUsd: number | null;
  readonly price: SwitchPrice | null;
  /** Leaving the cloud now could cost more than staying in it. */
  readonly isLeavingRisky: boolean;
  readonly options: readonly WeighedCandidate[];
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
 * L2: the votes, prices and times of both models, and the resulting score. `block`: the steps that the decision covers.
 */
export function weigh(facts: RouteFacts, rules: readonly Rule[], block: number): Score {
  const local = facts.candidates.find((candidate) => candidate.info.where === 'local') ?? null;
  const cloud = facts.candidates.find((candidate) => candidate.info.where === 'cloud') ?? null;
  const features = featuresOf(facts, local);
  const votes = rules.flatMap((rule) => votesOf(rule, features, facts.numbers.weights?.[rule.id] ?? 1));
  const sum = votes.reduce((total, { toward, weight }) => total + (toward === 'cloud' ? weight : -weight), BASE);
  const gain = chanceOf(sum);
  const outlook = outlookOf(facts, { local, cloud, gain, block });
  const stretch = Math.min(block, outlook.blockSteps);
  const cache = cloud === null ? nothingCached : cacheOf(facts, cloud);
  const price = cloud === null ? null : switchPrice(cloud.info.price, outlook, cache);
  const saved = cloud === null ? 0 : savedByLocal(facts, local, cloud);
  return {
    features,
    votes,
    gain,
    advantageUsd: price === null ? null : valueOf(facts, outlook, stretch) - price.extraUsd,
    price,
    isLeavingRisky: price !== null && price.riskUsd > Math.max(0, saved),
    options: facts.candidates.map((candidate) => option(facts, candidate, { outlook, cache, price })),
  };
}

/** `factor`: the weight of a rule's votes; with 0 they are not cast. */
function votesOf(rule: Rule, features: Features, factor: number): readonly Vote[] {
  if (factor === 0) return [];
  return rule.vote(features).map((vote) => ({ rule: rule.id, ...vote, weight: vote.weight * factor }));
}

interface Pair {
  readonly local: RouteCandidate | null;
  readonly cloud: RouteCandidate | null;
  readonly gain: number;
  readonly block: number;
}

function outlookOf({ trajectory, numbers }: RouteFacts, { local, cloud, gain, block }: Pair): Outlook {
  const here = local === null ? undefined : trajectory.models[local.info.id];
  const there = cloud === null ? undefined : trajectory.models[cloud.info.id];
  const outputTokens = (trajectory.last?.where === 'cloud' ? there : here)?.outputTokens ?? GUESS.outputTokens;
  const usual = usualCallsLeft(numbers, cloud);
  const stepsLeft = usual ?? Math.max(numbers.blockSteps, numbers.taskSteps - trajectory.steps);
  return {
    promptTokens: cloud?.promptTokens ?? local?.promptTokens ?? 0,
    outputTokens,
    grownTokens: outputTokens + GUESS.resultTokens,
    stepsLeft,
    blockSteps: usual === null ? block : Math.min(block, usual),
    hazard: 1 - (1 - gain) ** (1 / stepsLeft),
    localStepMs: here?.stepMs ?? GUESS.localStepMs,
    cloudStepMs: there?.stepMs ?? GUESS.cloudStepMs,
  };
}

/**
 * How many turns of this model must be counted before its usual number of calls is used, and the weight of the guess
 * beside them.
 */
const believed = { turns: 2, guess: 0.25 } as const;

/**
 * The number of calls that the cloud model is likely to make until the end, from tasks in this home that it worked on.
 * Null: too few are known, so it is guessed.
 */
function usualCallsLeft({ priors, taskSteps }: RouteFacts['numbers'], cloud: RouteCandidate | null): number | null {
  const known = cloud === null ? undefined : priors?.[cloud.info.id]?.act;
  if (cloud === null || known?.calls === undefined || known.tries < believed.turns) return null;
  const each = (known.calls + taskSteps * believed.guess) / (known.tries + believed.guess);
  return Math.max(1, Math.round(each));
}

/** A clock that was set back must not give a negative age. */
function cacheOf({ trajectory, numbers, now }: RouteFacts, { info }: RouteCandidate): CacheFacts {
  const known = trajectory.models[info.id];
  const lifeMs = numbers.cacheLifeSeconds * 1000;
  if (known === undefined) return { ...nothingCached, lifeMs };
  return { cachedTokens: known.cachedTokens, ageMs: Math.max(0, now - known.cachedAt), lifeMs };
}

function savedByLocal({ trajectory }: RouteFacts, local: RouteCandidate | null, cloud: RouteCandidate): number {
  const here = local === null ? undefined : trajectory.models[local.info.id];
  const forgotten = trajectory.models[cloud.info.id]?.forgottenTokens ?? 0;
  return savedUsd(cloud.info.price, here ?? { readTokens: 0, writtenTokens: 0 }, forgotten);
}

/** The value of a review in US dollars: what it may find that nothing else would. */
export function reviewWorthUsd({ numbers, trajectory, isDoubtful, wasGreenBefore }: RouteFacts, gain: number): number {
  const isChecked = trajectory.isGreen === true && wasGreenBefore !== true && isDoubtful !== true;
  return gain * (isChecked ? UNDETECTED.checked : UNDETECTED.unchecked) * numbers.valueUsd;
}

/** The value of the cloud for a stretch: avoided mistakes that nobody would notice, and the user's waiting time. */
function valueOf({ numbers, task, strategy }: RouteFacts, outlook: Outlook, block: number): number {
  const checked = strategy === 'recipe' ? UNDETECTED.judged : UNDETECTED.checked;
  const undetected = task.hasCriterion ? checked : UNDETECTED.unchecked;
  const fails = 1 - (1 - outlook.hazard) ** block;
  const minutes = ((outlook.localStepMs - outlook.cloudStepMs) * block) / 60_000;
  return fails * undetected * numbers.valueUsd + minutes * numbers.minuteUsd;
}

function option(
  facts: RouteFacts,
  candidate: RouteCandidate,
  {
    outlook,
    cache,
    price,
  }: { readonly outlook: Outlook; readonly cache: CacheFacts; readonly price: SwitchPrice | null },
): WeighedCandidate {
  const { info, promptTokens } = candidate;
  const { outputTokens } = outlook;
  const isLocal = info.where === 'local';
  const costUsd = callUsd(info.price, { promptTokens, outputTokens }, isLocal ? nothingCached : cache);
  const rest = price === null ? null : isLocal ? price.localRestUsd : price.cloudRestUsd;
  const alone = facts.candidates.length === 1 && isLocal ? costUsd : rest;
  return {
    model: info.id,
    where: info.where,
    denied: null,
    costUsd,
    seconds: secondsOf(facts, candidate, outputTokens),
    restUsd: alone,
  };
}

/** From the speeds of earlier calls; null for a model that has not been called yet. */
function secondsOf(
  { trajectory }: RouteFacts,
  { info, promptTokens }: RouteCandidate,
  outputTokens: number,
): number | null {
  const known = trajectory.models[info.id];
  if (known === undefined) return null;
  const { prefillPerSecond, decodePerSecond, cachedTokens, callMs } = known;
  if (prefillPerSecond === null || decodePerSecond === null) return callMs / 1000;
  const kept = trajectory.last?.model === info.id ? Math.min(cachedTokens, promptTokens) : 0;
  return (promptTokens - kept) / prefillPerSecond + outputTokens / decodePerSecond;
}
