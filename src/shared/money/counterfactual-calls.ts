import runs from './counterfactual-runs.json';
import type { RecipeRunsByEnd, RecipeRunTotals } from './recipe-runs.ts';
import { promptTokensOf } from './token-cost.ts';
import type { SplitWorkload, Workload } from './workload.ts';

/** A token written takes as long as so many read, where this machine has not been timed. */
const usualRatio = 5;

/** Tokens of the prompts that are read, after what is kept of the call before as this machine keeps it. */
export function uncachedPromptTokens(work: Workload, here: Workload): number {
  const { usage, reused, calls } = work;
  const prompt = promptTokensOf(usage);
  if (calls === 0 || reused > 0) return prompt - Math.min(reused, prompt);
  const first = firstCalls(work);
  return (prompt / calls) * (first + (calls - first) * laterShare(here));
}

/** Calls that begin something, and so find nothing kept: the first of each program, else that of the conversation. */
function firstCalls({ calls, recipeRuns }: Workload): number {
  const runsOfPrograms = Object.values(recipeRuns).reduce((sum, one) => sum + one.runs, 0);
  return Math.min(calls, Math.max(1, runsOfPrograms));
}

/** Of the prompts of all other calls: what has to be read, for the rest is there from the call before. */
function laterShare(work: Workload): number {
  const prompt = promptTokensOf(work.usage);
  const later = work.calls === 0 ? 0 : prompt * (1 - firstCalls(work) / work.calls);
  return later === 0 ? 1 : Math.max(0, 1 - work.reused / later);
}

/**
 * Work in units of one token read: what a call takes is as much the reading of its prompt as the writing of its answer,
 * in the proportion that this machine was timed at. `here`: all that it was timed at.
 */
function unitsOf(work: Workload, here: Workload): number {
  const { read, written } = here;
  const isTimed = read.ms > 0 && read.tokens > 0 && written.ms > 0 && written.tokens > 0;
  const ratio = isTimed ? (written.ms * read.tokens) / (written.tokens * read.ms) : usualRatio;
  return uncachedPromptTokens(work, here) + work.usage.output * ratio;
}

/**
 * What the tokens of this machine would take in the cloud, by the calls of it that are known; null where there are none.
 * Where streams told how long was written, reading and writing have each their own speed.
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

/** Programs that models are asked by, and those that answer a person: what is usual of one is not of the other. */
const endGroups: readonly (readonly (keyof RecipeRunsByEnd)[])[] = [
  ['exhausted', 'timedOut', 'solved', 'unsolvedInBoth', 'ranInBoth'],
  ['answered'],
];

/** After so many runs of programs there what is usual of them counts as much as what was written here. */
const halfAt = 4;

/**
 * Tokens that the same calls would have written elsewhere, as a share of those that they wrote. To the questions of a
 * program a model writes as much as it is used to write, rather than as much as another wrote to them; `there`: what is
 * known of that. What no program asked is taken to be answered in as many.
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
 * How many calls there would have been elsewhere, as a share of those there were. A program asks the same questions
 * there until something solves the task or its time is up: a slower model answers fewer of them, and where time was up
 * here a quicker one answers more, up to as many as such programs ask. `seconds`: what all these calls would take there;
 * null: nobody knows, and
 * time would not have been up. `there`: what is known of the other place.
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

/** The call that time runs out on is made to its end: so much longer than its time a program was found to take. */
const overrun = 1.1;

/** The most that all of it can take elsewhere, in seconds, for what programs do ends with their time. */
export function longestSeconds({ calls, recipeRuns }: Workload, seconds: number): number {
  const { exhausted, timedOut, solved, answered, unsolvedInBoth, ranInBoth, takenOver } = recipeRuns;
  const bounded = [exhausted, timedOut, solved, answered, unsolvedInBoth];
  const asked = bounded.reduce((sum, one) => sum + one.calls, ranInBoth.calls + takenOver.calls);
  const limitMs = bounded.reduce((sum, one) => sum + one.limitMs, 0);
  return (limitMs / 1000) * overrun + seconds * Math.max(0, 1 - asked / Math.max(1, calls));
}

/** What a call of a program usually takes there; null: none has been seen. */
function usualCallMs({ recipeRuns }: Workload): number | null {
  const all = Object.values(recipeRuns);
  const count = all.reduce((sum, one) => sum + one.runs, 0);
  const rate = all.reduce((sum, one) => sum + one.rate, 0);
  return count === 0 || rate === 0 ? null : (count * 1000) / rate;
}

/** Calls of these runs elsewhere, were there at least `wanted` in each. The one that time runs out on is made to its end. */
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

/** Questions of a program that asks all it has, by the runs that are known and what was found elsewhere. */
function usualCalls({ local, cloud }: SplitWorkload): number {
  const known = [local, cloud].flatMap(({ recipeRuns }) => [recipeRuns.exhausted, recipeRuns.unsolvedInBoth]);
  const sum = (of: (one: RecipeRunTotals) => number): number => known.reduce((total, one) => total + of(one), 0);
  return (sum((one) => one.calls) + runs.courseCalls) / (sum((one) => one.runs) + 1);
}
