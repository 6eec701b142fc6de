import type { Interval } from '@shared/money/counterfactual.ts';
import type { Comparison, ComparisonRun, PairVerdict, RunPair } from './comparison.ts';
import { shareInterval } from './intervals.ts';
import { eachWay, wayName } from './way-name.ts';

type Judged = Pick<Comparison, 'input' | 'runs' | 'judgements'>;

/** Why a run shows nothing: something was missing, and no step was done. */
export const neverRan = (why: string): string => `It did no step, so it is not judged: ${why}`;

/** Whether something was missing on this machine, so that the run could not work. */
export const isNeverRan = ({ state, why, figures }: Pick<ComparisonRun, 'state' | 'why' | 'figures'>): boolean =>
  // Earlier versions counted it as ended.
  figures?.status === 'missing' || (state === 'waiting' && (why ?? '').startsWith(neverRan('')));

/** Whether a run has ended and shows something of its way. */
export const hasWorked = (run: Pick<ComparisonRun, 'state' | 'why' | 'figures'>): boolean =>
  run.state === 'ended' && !isNeverRan(run);

/** The pairs of runs that can be judged: both ended, and both have an answer. In the order of the tasks. */
export function pairsToJudge({ input, runs }: Judged): readonly RunPair[] {
  const names = eachWay(input.ways).map(wayName);
  const pairs = names.flatMap((left, at) => names.slice(at + 1).map((right) => ({ left, right })));
  return input.tasks.flatMap((_, task) =>
    Array.from({ length: input.repeat }, (__, index) => index + 1).flatMap((repeat) =>
      pairs
        .map((pair) => ({ task, repeat, ...pair }))
        .filter((pair) => [pair.left, pair.right].every((way) => hasAnswer(runOf({ runs }, { ...pair, way })))),
    ),
  );
}

const hasAnswer = (run: ComparisonRun | null): boolean => run !== null && hasWorked(run) && run.sessionId !== null;

export function runOf(
  { runs }: Pick<Comparison, 'runs'>,
  { task, repeat, way }: Pick<ComparisonRun, 'task' | 'repeat' | 'way'>,
): ComparisonRun | null {
  return runs.find((run) => run.task === task && run.repeat === repeat && run.way === way) ?? null;
}

export const isSamePair = (one: RunPair, other: RunPair): boolean =>
  one.task === other.task && one.repeat === other.repeat && one.left === other.left && one.right === other.right;

/** The pairs without a verdict of this kind. */
export function openPairs(comparison: Judged, by: PairVerdict['by']): readonly RunPair[] {
  const done = comparison.judgements.filter((one) => one.by === by && one.verdict !== null);
  return pairsToJudge(comparison).filter((pair) => !done.some((one) => isSamePair(one, pair)));
}

/**
 * The pairs that a person is asked about: those of tasks that no check judged, else all. What a model judged counts as
 * judged.
 */
export function pairsForYou(comparison: Judged): readonly RunPair[] {
  const open = openPairs(comparison, 'you');
  const isChecked = (pair: RunPair): boolean =>
    [pair.left, pair.right].every((way) => typeof runOf(comparison, { ...pair, way })?.check?.passed === 'boolean');
  return open.filter((pair) => !isChecked(pair) && verdictOn(comparison, pair) === null);
}

/** A person's verdict counts before that of a model. Null: there is none. */
function verdictOn({ judgements }: Judged, pair: RunPair): PairVerdict['verdict'] {
  const found = judgements.filter((one) => isSamePair(one, pair) && one.verdict !== null);
  return (found.findLast(({ by }) => by === 'you') ?? found.at(-1))?.verdict ?? null;
}

/** How the answers of one way did against those of the others. */
export interface Preference {
  readonly better: number;
  /** Both are as good, or both are bad. */
  readonly even: number;
  readonly worse: number;
  /** Of `better` and `worse`, the share of `better`, with its 95 % interval. Null: none was better. */
  readonly share: Interval | null;
}

/** Null: no answer of this way was judged. `among`: only these pairs count. */
export function preferenceOf(
  comparison: Judged,
  way: string,
  among: (pair: RunPair) => boolean = () => true,
): Preference | null {
  const count = { better: 0, even: 0, worse: 0 };
  for (const pair of pairsToJudge(comparison).filter(among)) {
    const verdict = pair.left === way || pair.right === way ? verdictOn(comparison, pair) : null;
    if (verdict === null) continue;
    const isEven = verdict === 'same' || verdict === 'both-bad';
    const isBetter = pair[verdict === 'left' ? 'left' : 'right'] === way;
    count[isEven ? 'even' : isBetter ? 'better' : 'worse'] += 1;
  }
  const decided = count.better + count.worse;
  if (decided + count.even === 0) return null;
  return { ...count, share: decided === 0 ? null : shareInterval(count.better, decided) };
}

/** Whether anybody judged this run in a pair. */
export function isJudged(comparison: Judged, { task, repeat, way }: ComparisonRun): boolean {
  return comparison.judgements.some(
    (one) =>
      one.task === task && one.repeat === repeat && one.verdict !== null && (one.left === way || one.right === way),
  );
}

/**
 * Whether a run solved its task: by its check, else by the verdicts on its pairs, where one that is as good as another
 * counts and one that is worse does not. Null: nobody judged it, or the verdicts are even.
 */
export function isSolvedBy(comparison: Judged, run: ComparisonRun): boolean | null {
  if (!hasWorked(run)) return null;
  if (typeof run.check?.passed === 'boolean') return run.check.passed;
  const { task, repeat, way } = run;
  const seen = preferenceOf(comparison, way, (pair) => pair.task === task && pair.repeat === repeat);
  if (seen === null) return null;
  const pairs = pairsToJudge(comparison).filter(
    (pair) => pair.task === task && pair.repeat === repeat && (pair.left === way || pair.right === way),
  );
  const bad = pairs.filter((pair) => verdictOn(comparison, pair) === 'both-bad').length;
  const points = seen.better + seen.even - bad - (seen.worse + bad);
  return points === 0 ? null : points > 0;
}
