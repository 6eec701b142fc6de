import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { pairedRows } from '../paired-rows.ts';
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
    const [first, second] = [isDone(task, 'named'), isDone(task, 'without')];
    return first === undefined || second === undefined ? [] : [{ first, second }];
  });
  return pairedRows(pairs, {
    first: `${skill}: tasks done with the skill named`,
    second: `${skill}: the same without it`,
    difference: `${skill}: points that it adds`,
  });
}
