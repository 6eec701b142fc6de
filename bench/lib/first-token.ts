import { batchTokens } from '../../src/main/models/memory/batch-tokens.ts';
import { openBareLibrary } from './bare-engine.ts';
import { bareContestant, least, ourContestant, time } from './bare-contest.ts';
import type { Measuring, Run } from './bare-contest.ts';
import type { BenchRow } from './rows.ts';

/** A first message, one with a file in it, and a new system message, whose state is then kept. */
const prompts = {
  'short prompt': { lines: 1, from: 'user' },
  'long prompt': { lines: 34, from: 'user' },
  'new long system message': { lines: 34, from: 'system' },
} as const;
type Kind = keyof typeof prompts;
const kinds = ['short prompt', 'long prompt', 'new long system message'] as const satisfies readonly Kind[];

/** The same prompt for both. */
interface Pair {
  readonly bare: Run;
  readonly ours: Run;
}

/**
 * Measures what a call adds before its first token. A prompt takes llama.cpp one to ten seconds of its own, and that
 * time always varies. So its work is compared by the tokens that it computes, and its time, as it counts it itself, is
 * subtracted on both sides. Calls of one token run in turns A, B, B, A. The least of what is left counts, because other
 * programs can only add to it.
 */
export async function firstTokenRows(
  engine: Parameters<typeof ourContestant>[0],
  measuring: Measuring,
): Promise<readonly BenchRow[]> {
  const start = await openBareLibrary(measuring);
  const bareEngine = await start(batchTokens.processor);
  const contestants = { bare: bareContestant(bareEngine), ours: ourContestant(engine) };
  const run = (who: keyof Pair, seed: string, kind: Kind): Promise<Run> =>
    time(contestants[who], { ...prompts[kind], seed: `${kind} ${seed}`, outputTokens: 1 });
  const pairs: Record<Kind, Pair[]> = { 'short prompt': [], 'long prompt': [], 'new long system message': [] };
  try {
    for (const who of ['bare', 'ours'] as const) await run(who, 'warm up', 'short prompt');
    for (let round = 0; round < measuring.rounds; round += 1)
      for (const kind of kinds) {
        const bare = await run('bare', `round ${round} a`, kind);
        pairs[kind].push({ bare, ours: await run('ours', `round ${round} a`, kind) });
        const ours = await run('ours', `round ${round} b`, kind);
        pairs[kind].push({ bare: await run('bare', `round ${round} b`, kind), ours });
      }
  } finally {
    await bareEngine.dispose();
  }
  return kinds.flatMap((kind) => rowsOf(kind, pairs[kind]));
}

function rowsOf(kind: Kind, pairs: readonly Pair[]): readonly BenchRow[] {
  const [bare, ours] = [pairs.map((pair) => pair.bare), pairs.map((pair) => pair.ours)];
  const [bareMs, ownMs] = [least(bare, besidesMs), least(ours, besidesMs)];
  const spread = (runs: readonly Run[]): string => {
    const perToken = runs.map((run) => countedMs(run) / tokensOf(run));
    return `${Math.min(...perToken).toFixed(2)} to ${Math.max(...perToken).toFixed(2)}`;
  };
  return [
    {
      figure: `added time to the first token beside llama.cpp's own work, ${kind}`,
      value: ownMs - bareMs,
      unit: 'ms',
      // This cost comes once per such message: its state is written to disk, so that no later process reads it again.
      target: kind === 'new long system message' ? null : { atMost: 15 },
      note: `from the call to the first word, less what llama.cpp counts: bare ${bareMs.toFixed(1)} ms, here ${ownMs.toFixed(1)} ms; the least of ${pairs.length} each`,
    },
    {
      figure: `of that, time of the processor for all that is not native, ${kind}`,
      value: least(ours, scriptMs) - least(bare, scriptMs),
      unit: 'ms',
      target: null,
      note: `no other program changes it; bare ${least(bare, scriptMs).toFixed(1)} ms, here ${least(ours, scriptMs).toFixed(1)} ms in two processes`,
    },
    {
      figure: `tokens that llama.cpp computes for it more than for the bare engine, ${kind}`,
      value: Math.max(...pairs.map((pair) => tokensOf(pair.ours) - tokensOf(pair.bare))),
      unit: '',
      target: { atMost: 0 },
      note: `of ${Math.max(...bare.map(tokensOf))}, the most of ${pairs.length} pairs; its milliseconds a token: bare ${spread(bare)}, here ${spread(ours)}`,
    },
  ];
}

/** Everything that a call does until its one token, except the native calls that compute its prompt. */
const besidesMs = (run: Run): number => run.firstMs - countedMs(run);
const scriptMs = (run: Run): number => run.scriptMs ?? Number.NaN;
/** If the last piece is one token, llama.cpp counts it as written. */
const countedMs = ({ counted }: Run): number => counted.readMs + counted.writtenMs;
const tokensOf = ({ counted }: Run): number => counted.readTokens + counted.writtenTokens;
