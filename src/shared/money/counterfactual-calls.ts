import runs from './counterfactual-runs.json';
import type { RecipeRunsByEnd, RecipeRunTotals } from './recipe-runs.ts';
import { promptTokensOf } from './token-cost.ts';
import type { SplitWorkload, Workload } from './workload.ts';

/** How many tokens can be read in the time to write one, when this machine has not been timed. */
const usualRatio = 5;

/** Prompt tokens that must be read, if this machine's share of cached tokens is assumed. */
export function uncachedPromptTokens(work: Workload, here: Workload): number {
  const { usage, reused, calls } = work;
  const prompt = promptTokensOf(usage);
  if (calls === 0 || reused > 0) return prompt - Math.min(reused, prompt);
  const first = firstCalls(work);
  return (prompt / calls) * (first + (calls - first) * laterShare(here));
}

/** Calls that begin something and so find nothing cached: the first of each recipe, otherwise of the conversation. */
function firstCalls({ calls, recipeRuns }: Workload): number {
  const runsOfPrograms = Object.values(recipeRuns).reduce((sum, one) => sum + one.runs, 0);
  return Math.min(calls, Math.max(1, runsOfPrograms));
}

/** The share of all later prompts that must be read, because the rest is cached from the call before. */
function laterShare(work: Workload): number {
  const prompt = promptTokensOf(work.usage);
  const later = work.calls === 0 ? 0 : prompt * (1 - firstCalls(work) / work.calls);
  return later === 0 ? 1 : Math.max(0, 1 - work.reused / later);
}

/**
 * Work in units of one token read. A call takes the time of reading its prompt plus that of writing its answer, in the
 * ratio measured on this machine. `here`: all that was measured.
 */
function unitsOf(work: Workload, here: Workload): number {
  const { read, written } = here;
  const isTimed = read.ms > 0 && read.tokens > 0 && written.ms > 0 && written.tokens > 0;
  const ratio = isTimed ? (written.ms * read.tokens) / (written.tokens * read.ms) : usualRatio;
  return uncachedPromptTokens(work, here) + work.usage.output * ratio;
}

/**
 * Seconds that this machine's tokens would take in the cloud, estimated from its known calls; null when there are none.
 * When streams gave the writing time, reading and writing each have their own speed.
 */
export function counterfactualCloudSeconds(work: Workload, { local: here, cloud }: SplitWorkload): number | null {
  const { totalMs, usage, written } = cloud;
  const anew = uncachedPromptTokens(cloud, here);
  if (totalMs === 0 || anew === 0) return null;
  if (written.ms === 0) return (unitsOf(work, here) * totalMs) / unitsOf(cloud, here) / 1000;
  const writeMs = written.ms / written.tokens;
  const readMs = Math.max(0, totalMs - usage.output * writeMs) / anew;
  return (uncachedPromptTokens(work, here) * readMs + work.usage.output * writeMs) / 1000;
}

/**
 * Recipes that ask a model, and recipes that answer the user. What is usual for one group says nothing about the other.
 */
const endGroups: readonly (readonly (keyof RecipeRunsByEnd)[])[] = [
  ['exhausted', 'timedOut', 'solved', 'unsolvedInBoth', 'ranInBoth'],
  ['answered'],
];

/** After this many recipe runs there, their usual length counts as much as the length written here. */
const halfAt = 4;

/**
 * Tokens that the same calls would have written elsewhere, as a share of those written. A model is assumed to answer a
 * recipe's questions with its own usual length, taken from `there`. Calls outside recipes are assumed to be equally
 * long.
 */
export function counterfactualOutputRatio({ recipeRuns, usage }: Workload, there: Workload): number {
  const more = endGroups.map((kinds) => {
    const [own, usual] = [sumOf(recipeRuns, kinds), sumOf(there.recipeRuns, kinds)];
    if (own.written === 0 || usual.written === 0) return 0;
    const ratio = usual.written / usual.calls / (own.written / own.calls);
    return own.written * (ratio ** (usual.runs / (usual.runs + halfAt)) - 1);
  });
  return 1 + more.reduce((sum, one) => sum + one, 0) / Math.max(1, usage.output);
}

function sumOf(
  recipeRuns: RecipeRunsByEnd,
  kinds: readonly (keyof RecipeRunsByEnd)[],
): Pick<RecipeRunTotals, 'runs' | 'calls' | 'written'> {
  const sum = (of: (one: RecipeRunTotals) => number): number =>
    kinds.reduce((total, kind) => total + of(recipeRuns[kind]), 0);
  return { runs: sum((one) => one.runs), calls: sum((one) => one.calls), written: sum((one) => one.written) };
}

/**
 * Calls that would have been made elsewhere, as a share of those made. A recipe asks the same questions there until one
 * answer solves the task or its time is up. A slower model answers fewer questions. If time was up here, a faster model
 * answers more, up to the usual number. `seconds`: the time of all these calls there; null: unknown, and time would not
 * have run out. `there`: what is known of the other place.
 */
export function counterfactualCallRatio(
  work: Workload,
  seconds: number | null,
  known: SplitWorkload & { readonly there: Workload },
): number {
  const { exhausted, timedOut, solved, answered, unsolvedInBoth, ranInBoth, takenOver } = work.recipeRuns;
  if (work.calls === 0) return 1;
  const callMs = usualCallMs(known.there) ?? (seconds === null ? null : (seconds * 1000) / work.calls);
  const asked =
    exhausted.calls +
    solved.calls +
    answered.calls +
    timedOut.calls +
    unsolvedInBoth.calls +
    ranInBoth.calls +
    takenOver.calls;
  const rest = Math.max(0, work.calls - asked);
  const there =
    inTime(exhausted, callMs, 0) +
    inTime(solved, callMs, 0) +
    inTime(answered, callMs, 0) +
    inTime(timedOut, callMs, usualCalls(known)) +
    Math.max(0, inTime(unsolvedInBoth, callMs, 0) - unsolvedInBoth.madeThere);
  return (rest + there) / (rest + asked);
}

/** The last call is finished even when time is up. Recipes were found to take this much longer than their limit. */
const overrun = 1.1;

/** The most seconds that all of it can take elsewhere, because recipes stop when their time is up. */
export function longestSeconds({ calls, recipeRuns }: Workload, seconds: number): number {
  const { exhausted, timedOut, solved, answered, unsolvedInBoth, ranInBoth, takenOver } = recipeRuns;
  const bounded = [exhausted, timedOut, solved, answered, unsolvedInBoth];
  const asked = bounded.reduce((sum, one) => sum + one.calls, ranInBoth.calls + takenOver.calls);
  const limitMs = bounded.reduce((sum, one) => sum + one.limitMs, 0);
  return (limitMs / 1000) * overrun + seconds * Math.max(0, 1 - asked / Math.max(1, calls));
}

/** The usual time of a recipe's call there, in milliseconds; null when none is known. */
function usualCallMs({ recipeRuns }: Workload): number | null {
  const all = Object.values(recipeRuns);
  const count = all.reduce((sum, one) => sum + one.runs, 0);
  const rate = all.reduce((sum, one) => sum + one.rate, 0);
  return count === 0 || rate === 0 ? null : (count * 1000) / rate;
}

/**
 * Calls of these runs elsewhere, if each run asked at least `wanted`. The call during which time runs out is finished.
 */
function inTime(
  { runs: count, calls, otherMs, limitMs }: RecipeRunTotals,
  callMs: number | null,
  wanted: number,
): number {
  if (count === 0) return 0;
  const most = Math.max(calls / count, wanted);
  const stepMs = callMs === null ? 0 : callMs + otherMs / calls;
  const fitting = stepMs <= 0 ? Infinity : limitMs / count / stepMs + 0.5;
  return count * Math.max(1, Math.min(most, fitting));
}

/** The usual number of questions of a recipe that asks all it has, from known runs and from measurements elsewhere. */
function usualCalls({ local, cloud }: SplitWorkload): number {
  const known = [local, cloud].flatMap(({ recipeRuns }) => [recipeRuns.exhausted, recipeRuns.unsolvedInBoth]);
  const sum = (of: (one: RecipeRunTotals) => number): number => known.reduce((total, one) => total + of(one), 0);
  return (sum((one) => one.calls) + runs.courseCalls) / (sum((one) => one.runs) + 1);
}
