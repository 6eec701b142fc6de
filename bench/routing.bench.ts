import { access } from 'node:fs/promises';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';
import { UsageError } from './lib/usage-error.ts';
import { apgrMore } from './routing/apgr.ts';
import { readCrux, readLiveCode } from './routing/coding-sets.ts';
import { coverageOf, judgedOf } from './routing/harm.ts';
import { playMadeHomes } from './routing/made-home.ts';
import { pairStarts } from './routing/pair-starts.ts';
import { frozenRows, recordRows } from './routing/record-rows.ts';
import type { RoutedSet } from './routing/routed-set.ts';
import { aboveControls, apgrRow, calibrationRow } from './routing/set-rows.ts';
import { readSteps } from './routing/step-set.ts';
import { readGsm8k, readMmlu, readMtBench } from './routing/text-sets.ts';

type Part = (data: string) => Promise<readonly BenchRow[]>;

const parts = {
  homes: homeRows,
  record: recordRows,
  pair: pairStarts,
  frozen: frozenRows,
  steps: stepRows,
  text: textRows,
  coding: codingRows,
} as const satisfies Record<string, Part>;

/** Measures what the learned score is worth on recorded outcomes, each judged by what was learned from others. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, { data: 'FOLDER' });
  const { data } = values;
  const needsData = only.some((part) => part !== 'homes' && part !== 'pair' && part !== 'record');
  if (needsData && data === 'FOLDER')
    throw new UsageError('Name the folder with the recorded outcomes: --data FOLDER.');
  if (needsData)
    await access(data).catch(() => {
      throw new UsageError(`There is no folder "${data}".`);
    });
  const rows: BenchRow[] = [];
  for (const part of only) rows.push(...(await parts[part](data)));
  return rows;
}

/** Without data: made repositories whose truth is known. */
function homeRows(): Promise<readonly BenchRow[]> {
  const targets: Readonly<Record<number, number>> = { 20: 50, 100: 20 };
  const rows = playMadeHomes(1000, [20, 100]).map(({ outcomes, learned, never }): BenchRow => ({
    figure: `regret after ${outcomes} outcomes, as a share of never learning`,
    value: (learned / never) * 100,
    unit: '%',
    target: { atMost: targets[outcomes] ?? 0 },
    note: `1,000 made repositories, 6 models; a task costs $${learned.toFixed(4)} and $${never.toFixed(4)} more than at best`,
  }));
  return Promise.resolve(rows);
}

async function textRows(data: string): Promise<readonly BenchRow[]> {
  const mmlu = await readMmlu(data);
  const [gsm8k, seen] = await readGsm8k(data);
  const bench = await readMtBench(data);
  return [
    apgrRow(mmlu, { atLeast: 0.65 }),
    apgrRow(gsm8k, { atLeast: 0.66 }),
    apgrRow(seen, { atLeast: 0.75 }),
    apgrRow(bench, { atLeast: 0.78 }),
    calibrationRow(mmlu.name, statesOf(mmlu)),
    calibrationRow(seen.name, statesOf(seen)),
    harmRow(mmlu),
    harmRow(seen),
  ];
}

async function stepRows(data: string): Promise<readonly BenchRow[]> {
  const { full, shipped, states } = await readSteps(data);
  const hand = shipped.controls['weights set by hand'] ?? [];
  const more = apgrMore(shipped.outcomes, shipped.scores, hand);
  return [
    apgrRow(full, { atLeast: 0.77 }),
    apgrRow(shipped, null),
    {
      figure: 'the shipped score above the weights set by hand',
      value: more.value,
      unit: '',
      target: { atLeast: 0 },
      note: `APGR on unseen databases, 95 % ${more.low.toFixed(3)} to ${more.high.toFixed(3)}`,
    },
    calibrationRow('InterCode-SQL, four models, unseen databases', states),
    harmRow(full),
  ];
}

async function codingRows(data: string): Promise<readonly BenchRow[]> {
  const sets = [...(await readLiveCode(data)), ...(await readCrux(data))];
  return [...sets.map((set) => aboveControls(set, 0.03)), ...sets.slice(-1).map(harmRow)];
}

function statesOf({ outcomes, chances }: RoutedSet): readonly { readonly chance: number; readonly solved: boolean }[] {
  return outcomes.map(({ weak }, item) => ({ chance: chances[item] ?? 0, solved: weak >= 0.5 }));
}

/** How often a threshold that was set on 400 tasks keeps its word: at most 1 in 20 worse than the cloud would do. */
function harmRow(set: RoutedSet): BenchRow {
  const { share, kept } = coverageOf(judgedOf(set), { limit: 0.05, size: 400 });
  const note = `1,000 draws of 400 tasks; ${Math.round(kept * 100)} % of tasks kept here`;
  return {
    figure: `coverage of the harm bound, ${set.name}`,
    value: share * 100,
    unit: '%',
    target: { atLeast: 95 },
    note,
  };
}
