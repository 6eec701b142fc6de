import { parseArgs } from 'node:util';
import { matchesGlob } from 'node:path';
import { seeded } from './seeded.ts';
import type { Task } from './tasks.ts';
import { UsageError } from './usage-error.ts';

export const pairPolicies = ['local', 'cloud', 'auto'] as const;
export type PairPolicy = (typeof pairPolicies)[number];

export interface PairOptions {
  readonly split: 'dev' | 'held' | 'all';
  /** A glob over ids, or several separated by commas. Null: every task. */
  readonly tasks: string | null;
  /** How many tasks, drawn by the seed. Null: all, in the order that the seed draws. */
  readonly sample: number | null;
  readonly seed: number;
  /** For one run of a task, as in `dewpoint run --max-minutes`. */
  readonly maxMinutes: number;
  /** No run starts after this time. */
  readonly totalMinutes: number | null;
  /** The policies to run. A report covers only tasks that were run under all of them. */
  readonly policies: readonly PairPolicy[];
  /** Policies to run again although the results contain them. */
  readonly again: readonly PairPolicy[];
  readonly results: string | null;
  /** Only reports the results. No model is started. */
  readonly isReport: boolean;
}

const usage = `npm run bench -- pair [--split dev|held|all] [--tasks GLOB,…] [--sample N] [--seed S] [--max-minutes N a run]
  [--total-minutes N] [--policies LIST] [--again ${pairPolicies.join(',')}] [--results FILE] [--report]`;

/** Throws a `UsageError` for everything it does not understand. */
export function parsePairOptions(args: readonly string[]): PairOptions {
  const values = read(args);
  const split = values.split ?? 'dev';
  if (split !== 'dev' && split !== 'held' && split !== 'all') throw new UsageError(`--split takes dev, held, all.`);
  return {
    split,
    tasks: values.tasks ?? null,
    sample: number('sample', values.sample),
    seed: number('seed', values.seed) ?? 1,
    maxMinutes: number('max-minutes', values['max-minutes']) ?? 15,
    totalMinutes: number('total-minutes', values['total-minutes']),
    policies: values.policies === undefined ? pairPolicies : policies('policies', values.policies),
    again: policies('again', values.again ?? ''),
    results: values.results ?? null,
    isReport: values.report === true,
  };
}

/** The chosen tasks in an order drawn by the seed. If a run stops early, what it did is a sample. */
export function drawTasks(
  tasks: readonly Task[],
  options: Pick<PairOptions, 'split' | 'tasks' | 'sample' | 'seed'>,
): readonly Task[] {
  const globs = options.tasks?.split(',') ?? ['*'];
  const random = seeded(options.seed);
  // Every task gets a number, so that a selection does not change the order.
  const drawn = tasks.map((task) => ({ task, at: random() }));
  return drawn
    .filter(({ task }) => options.split === 'all' || task.split === options.split)
    .filter(({ task }) => globs.some((glob) => matchesGlob(task.id, glob)))
    .sort((left, right) => left.at - right.at)
    .slice(0, options.sample ?? undefined)
    .map(({ task }) => task);
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        split: text,
        tasks: text,
        sample: text,
        seed: text,
        'max-minutes': text,
        'total-minutes': text,
        policies: text,
        again: text,
        results: text,
        report: { type: 'boolean' },
      },
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function policies(name: string, text: string): readonly PairPolicy[] {
  return text
    .split(',')
    .filter((word) => word !== '')
    .map((word) => {
      const policy = pairPolicies.find((one) => one === word);
      if (policy === undefined) throw new UsageError(`--${name} takes ${pairPolicies.join(', ')}.`);
      return policy;
    });
}

function number(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(`--${name} takes a number above 0, not "${text}".`);
  return value;
}
