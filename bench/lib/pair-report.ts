import { guessesHeldOf, publishedHeld } from './guesses-held.ts';
import { coverage, foundInterval } from '@shared/money/found-interval.ts';
import {
  causesOf,
  errorOf,
  escalatedOf,
  type Held,
  heldOf,
  isCovered,
  localShare,
  mixedHeldOf,
  type Outcome,
  outcomesOf,
  type Pair,
  savedShare,
  type Trio,
} from './pair-figures.ts';
import { needsHeldOf } from './task-needs-held.ts';
import type { PairOptions, PairPolicy } from './pair-options.ts';
import type { PairRecord } from './pair-results.ts';
import { pairWeights } from './pair-weights.ts';
import type { BenchRow } from './rows.ts';
import { pairKey } from './run-pair.ts';
import { median, percentile } from './statistics.ts';
import { formatColumns } from './table.ts';
import type { Task } from './tasks.ts';

/** The figures of the tasks with complete results, and a line for each task. */
export function pairReport(
  tasks: readonly Task[],
  done: ReadonlyMap<string, PairRecord>,
  options: PairOptions,
): { readonly text: string; readonly rows: readonly BenchRow[] } {
  const of = (task: Task, policy: PairPolicy): PairRecord | undefined => done.get(pairKey(task.id, policy, options));
  const pairs = tasks.flatMap((task): readonly (Pair & { readonly auto: PairRecord | undefined })[] => {
    const [local, cloud, auto] = [of(task, 'local'), of(task, 'cloud'), of(task, 'auto')];
    return local === undefined || cloud === undefined ? [] : [{ task: task.id, local, cloud, auto }];
  });
  const trios = pairs.flatMap(({ auto, ...pair }): readonly Trio[] => (auto === undefined ? [] : [{ ...pair, auto }]));
  const asked = pairs.flatMap(({ local, cloud, auto }) => [local, cloud, ...(auto === undefined ? [] : [auto])]);
  const kept = asked.reduce((sum, { answers }) => sum + answers.kept, 0);
  const told = asked.reduce((sum, { answers }) => sum + answers.asked, 0);
  const about =
    `${trios.length} of ${tasks.length} tasks under all policies, ${pairs.length} under the two plain ones; ` +
    `${told} answers of models, ${kept} more were such answers given again with the times of the first`;
  const weights = options.split === 'dev' ? [pairWeights(pairs)] : [];
  const text = [about, formatColumns(outcomeCells(trios), [1, 2, 3, 4]), formatColumns(taskCells(trios)), ...weights];
  return {
    text: text.join('\n\n'),
    rows: [...routingRows(trios), ...recordedRows(trios, done), ...heldRows(pairs), ...mixedRows(trios)],
  };
}

/** If these tasks leave nothing to save, the figures over all recorded runs: both halves and all conditions. */
function recordedRows(trios: readonly Trio[], done: ReadonlyMap<string, PairRecord>): readonly BenchRow[] {
  if (trios.length === 0 || headroomOf(trios) >= leastHeadroom) return [];
  const groups = new Map<string, Partial<Record<PairPolicy, PairRecord>>>();
  for (const record of done.values()) {
    const conditions = record.key.replace(`, ${record.policy},`, ',');
    groups.set(conditions, { ...groups.get(conditions), [record.policy]: record });
  }
  const recorded = [...groups.values()].flatMap(({ local, cloud, auto }): readonly Trio[] =>
    local === undefined || cloud === undefined || auto === undefined ? [] : [{ task: local.task, local, cloud, auto }],
  );
  const about = `recorded outcomes (${recorded.length}): `;
  return routingRows(recorded).map((row) => ({ ...row, figure: `${about}${row.figure}` }));
}

function headroomOf(trios: readonly Trio[]): number {
  const { cloud, oracle } = outcomesOf(trios);
  return cloud.costUsd === 0 ? 0 : 1 - oracle.costUsd / cloud.costUsd;
}

function outcomeCells(trios: readonly Trio[]): readonly (readonly string[])[] {
  const { local, cloud, auto, random, oracle, triesAll } = outcomesOf(trios);
  const line = ({ name, solved, lost, costUsd, seconds }: Outcome): readonly string[] => [
    name,
    `${Number(solved.toFixed(1))}/${trios.length}`,
    String(Number(lost.toFixed(1))),
    `$${costUsd.toFixed(5)}`,
    seconds.toFixed(0),
  ];
  return [
    ['policy', 'solved', 'lost against all cloud', 'cost', 'seconds'],
    ...[local, cloud, auto, random, oracle, triesAll].map(line),
  ];
}

function taskCells(trios: readonly Trio[]): readonly (readonly string[])[] {
  const word = ({ solved, accepted, status, costUsd, seconds }: PairRecord): string =>
    `${solved ? 'solved' : accepted ? 'WRONG' : status}, ${seconds.toFixed(0)} s${costUsd > 0 ? `, $${costUsd.toFixed(5)}` : ''}`;
  return [
    ['task', 'all local', 'all cloud', 'auto', 'why it moved'],
    ...trios.map(({ task, local, cloud, auto }) => [
      task,
      ...[local, cloud, auto].map(word),
      auto.moves.map(({ to, cause }) => `${to}: ${cause}`).join(', '),
    ]),
  ];
}

/** If less than this share of the all-cloud cost can be saved, no router could show anything. */
const leastHeadroom = 0.1;

function routingRows(trios: readonly Trio[]): readonly BenchRow[] {
  if (trios.length === 0) {
    const note = 'no task was run under all policies';
    return [{ figure: 'tasks with a real pair', value: null, unit: '', target: { atLeast: 1 }, note }];
  }
  const { cloud, auto, random, oracle, triesAll } = outcomesOf(trios);
  const percent = (share: number | null): number | null => (share === null ? null : share * 100);
  const headroom = headroomOf(trios);
  const has = headroom >= leastHeadroom;
  const easy = localShare(trios);
  const { failed, escalated, unseen } = escalatedOf(trios);
  const sentences = causesOf(trios);
  const starts = trios.filter(({ auto }) => auto.calls[0]?.where === 'cloud').length;
  const unexplained = sentences.filter(({ text }) => text.trim() === '').length;
  return [
    {
      figure: 'tasks that all-cloud solves and auto does not',
      value: auto.lost,
      unit: '',
      target: { atMost: 1 },
      note: `of ${cloud.solved}; ${random.lost.toFixed(1)} are to be expected by chance at the same budget`,
    },
    {
      figure: 'saved of what the oracle saves',
      value: percent(savedShare(auto, cloud, oracle)),
      unit: '%',
      target: has ? { atLeast: 60 } : null,
      note: has
        ? `the oracle saves ${(headroom * 100).toFixed(0)} % of all-cloud's ${cloud.costUsd.toFixed(4)} dollars`
        : 'no headroom: the oracle saves under 10 %',
    },
    {
      figure: 'the same, where the oracle has to try what nobody solves in the cloud, too',
      value: percent(savedShare(auto, cloud, triesAll)),
      unit: '%',
      target: null,
    },
    {
      figure: 'model calls that stay here, of tasks that this machine solves',
      value: percent(easy.share),
      unit: '%',
      target: { atLeast: 80 },
      note: easy.share === null ? 'no such task took a model' : `${easy.calls} calls`,
    },
    {
      figure: 'tasks that this machine fails: the cloud is asked before a limit is met',
      value: failed === 0 ? null : (escalated / failed) * 100,
      unit: '%',
      target: { atLeast: 90 },
      note: `${escalated} of ${failed}; ${unseen} were called done here, and only the hidden tests know better`,
    },
    ...sentences.map(({ cause, count, text }) => ({
      figure: `moves to the cloud: ${cause}`,
      value: count,
      unit: '',
      target: null,
      note: text.replaceAll(/\s+/g, ' ').slice(0, 200),
    })),
    {
      figure: 'tasks that begin in the cloud',
      value: starts,
      unit: '',
      target: null,
      note: 'no failing test judges their tries, and the score found the cloud worth its price',
    },
    { figure: 'moves without a reason in words', value: unexplained, unit: '', target: { atMost: 0 } },
  ];
}

function heldRows(pairs: readonly Pair[]): readonly BenchRow[] {
  const date = pairs[0]?.local.at.slice(0, 10) ?? '';
  const { cloudUsd, localSeconds, cloudSeconds } = heldOf(pairs, date);
  return [
    ...rowsOf('money in the cloud, said of the run here', cloudUsd),
    ...rowsOf('seconds here, said of the run in the cloud', localSeconds),
    ...rowsOf('seconds in the cloud, said of the run here', cloudSeconds),
    ...needRows(pairs),
  ];
}

/**
 * Estimates from what the model needed for the other tasks, by kind and size. The cost of the run elsewhere is not
 * used.
 */
function needRows(pairs: readonly Pair[]): readonly BenchRow[] {
  const { cloudUsd, cloudSeconds, localSeconds } = needsHeldOf(pairs);
  const of = (what: string, held: readonly Held[]): readonly BenchRow[] => [...rowsOf(what, held), biasRow(what, held)];
  const guessed = guessesHeldOf(pairs);
  const isKnown = ({ task }: Held): boolean => cloudUsd.some((one) => one.task === task);
  return [
    ...of('money in the cloud, by its own record of other tasks', cloudUsd),
    ...of('the same, with a guess for those of which its record is too thin, as it is said', [
      ...cloudUsd,
      ...guessed.filter((one) => !isKnown(one)),
    ]),
    guessRow('money in the cloud, as a guess by the kind of task alone', guessed),
    guessRow('money of published repairs of other models, as such a guess', publishedHeld()),
    ...of('seconds in the cloud, by its own record of other tasks', cloudSeconds),
    ...of('seconds here, by its own record of other tasks', localSeconds),
  ];
}

/** A guess promises its interval alone. */
function guessRow(what: string, held: readonly Held[]): BenchRow {
  const covered = held.filter(isCovered).length;
  return {
    figure: `${what}: in the interval`,
    value: held.length === 0 ? null : (covered / held.length) * 100,
    unit: '%',
    target: { atLeast: 90 },
    note: `${covered} of ${held.length}`,
  };
}

/** The error of the sums: by how much the total of a month of such tasks would be wrong. */
function biasRow(what: string, held: readonly Held[]): BenchRow {
  const [said, real] = [held.reduce((sum, one) => sum + one.value, 0), held.reduce((sum, one) => sum + one.real, 0)];
  const by = real === 0 ? null : (said / real - 1) * 100;
  return {
    figure: `${what}, all that was said against all real`,
    value: by === null ? null : Math.abs(by),
    unit: '%',
    target: { atMost: 10 },
    note: by === null ? 'nothing to compare' : by < 0 ? 'too little was said' : 'too much was said',
  };
}

function mixedRows(trios: readonly Trio[]): readonly BenchRow[] {
  const { cloudUsd, localSeconds } = mixedHeldOf(trios, trios[0]?.local.at.slice(0, 10) ?? '');
  return [
    ...rowsOf('all cloud, said of a run in both places, money', cloudUsd),
    ...rowsOf('all local, said of a run in both places, seconds', localSeconds),
  ];
}

function rowsOf(what: string, held: readonly Held[]): readonly BenchRow[] {
  const errors = held.map(errorOf);
  const middle = median(errors);
  const covered = held.filter(isCovered).length;
  const ratios = held.map(({ value, real }) => real / value);
  const found = foundInterval(held);
  const interval =
    found === null
      ? ''
      : `; ${coverage * 100} % of one more task ${found.low.toFixed(2)} to ${found.high.toFixed(2)}${found.isWidened ? ', widened: too few tasks' : ''}`;
  const [low, middleRatio, high] = [0.1, 0.5, 0.9].map((share) => percentile(ratios, share)?.toFixed(2) ?? '-');
  return [
    {
      figure: `${what}: median error`,
      value: middle === null ? null : middle * 100,
      unit: '%',
      target: { atMost: 25 },
      note: `${held.length} tasks; real by said: ${middleRatio}, a tenth below ${low}, a tenth above ${high}${interval}`,
    },
    {
      figure: `${what}: in the interval`,
      value: held.length === 0 ? null : (covered / held.length) * 100,
      unit: '%',
      target: { atLeast: 80 },
      note: `${covered} of ${held.length}`,
    },
  ];
}
