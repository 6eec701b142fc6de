import { batchTokens } from '../../src/main/models/memory/batch-tokens.ts';
import { bareContestant, least, ourContestant, time } from './bare-contest.ts';
import type { Contestant, Measuring, Run } from './bare-contest.ts';
import { openBareLibrary } from './bare-engine.ts';
import type { BenchRow } from './rows.ts';

const outputTokens = 96;
/** A prompt with a file in it. */
const long = { lines: 34, from: 'user', outputTokens } as const;

interface Measured extends Contestant {
  readonly runs: Run[];
}

/**
 * Compares ours with the bare engine, once with the same pieces of a prompt and once with its own. Runs go A, B, C, C,
 * B, A, and the least of all rounds counts for each, because other work on the machine can only add time.
 */
export async function againstBareRows(
  engine: Parameters<typeof ourContestant>[0],
  measuring: Measuring,
): Promise<readonly BenchRow[]> {
  const start = await openBareLibrary(measuring);
  const bare = { same: await start(batchTokens.processor), usual: await start(null) };
  const measured = (contestant: Contestant): Measured => ({ ...contestant, runs: [] });
  const [same, usual] = [measured(bareContestant(bare.same)), measured(bareContestant(bare.usual))];
  const ours = measured(ourContestant(engine));
  const turn = [same, usual, ours];
  try {
    for (const one of turn) await time(one, { ...long, seed: 'warm up', lines: 1 });
    for (let round = 0; round < measuring.rounds; round += 1) {
      for (const one of turn) one.runs.push(await time(one, { ...long, seed: `round ${round} a` }));
      for (const one of turn.toReversed()) one.runs.push(await time(one, { ...long, seed: `round ${round} b` }));
    }
  } finally {
    await bare.same.dispose();
    await bare.usual.dispose();
  }
  return rowsOf({ same: same.runs, usual: usual.runs, ours: ours.runs }, measuring);
}

function rowsOf(
  { same, usual, ours }: Readonly<Record<'same' | 'usual' | 'ours', readonly Run[]>>,
  { rounds, threads }: Measuring,
): readonly BenchRow[] {
  const times = `${rounds * 2} each, ${threads ?? 'all'} threads`;
  const written = `${outputTokens} tokens; the least of ${times}`;
  return [
    {
      figure: 'writing against the bare engine, by the time of the processor',
      value: share(least(same, writingUsedMs), least(ours, writingUsedMs)),
      unit: '%',
      target: { atLeast: 99 },
      note: `of both processes; ${written}`,
    },
    {
      figure: 'writing against the bare engine, by the clock',
      value: share(least(same, writingMs), least(ours, writingMs)),
      unit: '%',
      target: { atLeast: 99 },
      note: `on a quiet machine only; ${written}`,
    },
    {
      figure: 'model calls against bare node-llama-cpp as it comes: speed',
      value: share(
        least(usual, (run) => run.wholeMs),
        least(ours, (run) => run.wholeMs),
      ),
      unit: '%',
      target: { atLeast: 97 },
      note: `by the clock, so on a quiet machine only; the least of ${times}`,
    },
  ];
}

const writingMs = ({ firstMs, wholeMs }: Run): number => wholeMs - firstMs;
const writingUsedMs = ({ processor }: Run): number =>
  processor === null ? Number.NaN : processor.all - processor.first;

function share(bare: number, own: number): number {
  return (bare / own) * 100;
}
