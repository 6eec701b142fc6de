import { readFile } from 'node:fs/promises';
import { pairedDifference, shareInterval } from '@shared/comparisons/intervals.ts';
import { z } from 'zod';
import type { BenchRow } from '../rows.ts';

const runSchema = z.object({
  task: z.string(),
  skill: z.string(),
  half: z.enum(['dev', 'held']),
  /** `named`: the message begins with the skill. `without`: the skill is off. */
  arm: z.enum(['without', 'named']),
  model: z.string(),
  /** Null: the task is done. */
  problem: z.string().nullable(),
  status: z.string(),
  reason: z.string(),
  steps: z.number(),
  actions: z.number(),
  seconds: z.number(),
  tokens: z.object({
    freshInput: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    output: z.number(),
  }),
  words: z.string(),
  /** The run could not be tried at all. */
  fault: z.string().nullable(),
  commit: z.string(),
});

export type SkillRun = z.infer<typeof runSchema>;
export type Arm = SkillRun['arm'];

export async function readSkillRuns(file: string): Promise<readonly SkillRun[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => runSchema.parse(JSON.parse(line)))
    .filter(({ fault }) => fault === null);
}

/** For each skill: done with it, done without it, and the paired difference. */
export function skillRows(runs: readonly SkillRun[]): readonly BenchRow[] {
  return [...new Set(runs.map(({ skill }) => skill))].flatMap((skill) => rowsOf(skill, runs));
}

function rowsOf(skill: string, runs: readonly SkillRun[]): readonly BenchRow[] {
  const own = runs.filter((one) => one.skill === skill);
  const tasks = [...new Set(own.map(({ task }) => task))];
  const isDone = (task: string, arm: Arm): boolean | undefined => {
    const run = own.find((one) => one.task === task && one.arm === arm);
    return run === undefined ? undefined : run.problem === null;
  };
  const pairs = tasks.flatMap((task) => {
    const [named, without] = [isDone(task, 'named'), isDone(task, 'without')];
    return named === undefined || without === undefined ? [] : [{ named, without }];
  });
  const count = (named: boolean, without: boolean): number =>
    pairs.filter((pair) => pair.named === named && pair.without === without).length;
  const counts = {
    both: count(true, true),
    onlyFirst: count(true, false),
    onlySecond: count(false, true),
    neither: count(false, false),
  };
  const difference = pairedDifference(counts);
  const points = ({ low, high }: { readonly low: number; readonly high: number }): string =>
    `${Math.round(100 * low)} to ${Math.round(100 * high)}`;
  const row = (figure: string, done: number): BenchRow => ({
    figure: `${skill}: ${figure}`,
    value: done,
    unit: '',
    target: null,
    note: `of ${pairs.length}, 95 % interval ${points(shareInterval(done, pairs.length))} %`,
  });
  return [
    row('tasks done with the skill named', counts.both + counts.onlyFirst),
    row('the same without it', counts.both + counts.onlySecond),
    {
      figure: `${skill}: points that it adds`,
      value: difference === null ? null : 100 * difference.value,
      unit: 'points',
      target: null,
      note:
        difference === null
          ? 'no pair'
          : `95 % interval ${points(difference)} points (Newcombe, paired); only with ${counts.onlyFirst}, only without ${counts.onlySecond}`,
    },
  ];
}
