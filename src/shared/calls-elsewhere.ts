import runs from './counterfactual-runs.json';
import type { CourseSum } from './courses.ts';
import { promptTokensOf } from './money.ts';
import type { SplitWork, Workload } from './workload.ts';

/** A token written takes as long as so many read, where this machine has not been timed. */
const usualRatio = 5;

/** Tokens of the prompts that are read, after what is kept of the call before as this machine keeps it. */
export function anewOf({ usage, reused, calls }: Workload, here: Workload): number {
  const prompt = promptTokensOf(usage);
  if (calls === 0 || reused > 0) return prompt - Math.min(reused, prompt);
  // The first of calls in a row keeps nothing.
  return Math.max(prompt * anewShare(here), prompt / calls);
}

function anewShare({ usage, reused }: Workload): number {
  const prompt = promptTokensOf(usage);
  return prompt === 0 ? 1 : 1 - Math.min(reused, prompt) / prompt;
}

/**
 * Work in units of one token read: what a call takes is as much the reading of its prompt as the writing of its answer,
 * in the proportion that this machine was timed at. `here`: all that it was timed at.
 */
export function unitsOf(work: Workload, here: Workload): number {
  const { read, written } = here;
  const isTimed = read.ms > 0 && read.tokens > 0 && written.ms > 0 && written.tokens > 0;
  const ratio = isTimed ? (written.ms * read.tokens) / (written.tokens * read.ms) : usualRatio;
  return anewOf(work, here) + work.usage.output * ratio;
}

/** Of the cloud, by the calls of it that are known; null where there are none. */
export function secondsPerUnit({ local, cloud }: SplitWork): number | null {
  const units = unitsOf(cloud, local);
  return units === 0 || cloud.totalMs === 0 ? null : cloud.totalMs / 1000 / units;
}

/**
 * How many calls there would have been elsewhere, as a share of those there were. A program asks the same questions
 * there until something solves the task or its time is up: a slower model answers fewer of them, and where time was up
 * here a quicker one answers more, up to as many as such programs ask. `seconds`: what all these calls would take there;
 * null: nobody knows, and
 * time would not have been up. `there`: what is known of the other place.
 */
export function callsElsewhere(
  work: Workload,
  seconds: number | null,
  known: SplitWork & { readonly there: Workload },
): number {
  const { through, cut, solved, again, covered } = work.courses;
  if (work.calls === 0) return 1;
  const callMs = usualCallMs(known.there) ?? (seconds === null ? null : (seconds * 1000) / work.calls);
  const asked = through.calls + solved.calls + cut.calls + again.calls + covered.calls;
  const rest = Math.max(0, work.calls - asked);
  const there =
    inTime(through, callMs, 0) +
    inTime(solved, callMs, 0) +
    inTime(cut, callMs, usualCalls(known)) +
    Math.max(0, inTime(again, callMs, 0) - again.madeThere);
  return (rest + there) / (rest + asked);
}

/** The call that time runs out on is made to its end: so much longer than its time a program was found to take. */
const overrun = 1.1;

/** The most that all of it can take elsewhere, in seconds, for what programs do ends with their time. */
export function mostSeconds({ calls, courses }: Workload, seconds: number): number {
  const { through, cut, solved, again, covered } = courses;
  const bounded = [through, cut, solved, again];
  const asked = bounded.reduce((sum, one) => sum + one.calls, covered.calls);
  const limitMs = bounded.reduce((sum, one) => sum + one.limitMs, 0);
  return (limitMs / 1000) * overrun + seconds * Math.max(0, 1 - asked / Math.max(1, calls));
}

/** What a call of a program usually takes there; null: none has been seen. */
function usualCallMs({ courses }: Workload): number | null {
  const all = Object.values(courses);
  const count = all.reduce((sum, one) => sum + one.runs, 0);
  const rate = all.reduce((sum, one) => sum + one.rate, 0);
  return count === 0 || rate === 0 ? null : (count * 1000) / rate;
}

/** Calls of these runs elsewhere, were there at least `wanted` in each. The one that time runs out on is made to its end. */
function inTime({ runs: count, calls, otherMs, limitMs }: CourseSum, callMs: number | null, wanted: number): number {
  if (count === 0) return 0;
  const most = Math.max(calls / count, wanted);
  const stepMs = callMs === null ? 0 : callMs + otherMs / calls;
  const fitting = stepMs <= 0 ? Infinity : limitMs / count / stepMs + 0.5;
  return count * Math.max(1, Math.min(most, fitting));
}

/** Questions of a program that asks all it has, by the runs that are known and what was found elsewhere. */
function usualCalls({ local, cloud }: SplitWork): number {
  const known = [local, cloud].flatMap(({ courses }) => [courses.through, courses.again]);
  const sum = (of: (one: CourseSum) => number): number => known.reduce((total, one) => total + of(one), 0);
  return (sum((one) => one.calls) + runs.courseCalls) / (sum((one) => one.runs) + 1);
}
