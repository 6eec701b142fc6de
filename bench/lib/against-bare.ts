import type { EngineCounts } from '@shared/call-report.ts';
import { textMessage } from '@shared/messages.ts';
import { batchTokens } from '../../src/main/engines/batch-tokens.ts';
import type { LlamaEngine } from '../../src/main/engines/llama-client.ts';
import type { Provider, StreamEnded } from '../../src/main/providers/define.ts';
import type { BareEngine } from './bare-engine.ts';
import { openBareLibrary } from './bare-engine.ts';
import { plainRequest } from './plain-request.ts';
import { exactProcessorMs } from './exact-processor-time.ts';
import type { BenchRow } from './rows.ts';

const outputTokens = 96;
/** The answer has begun: larger models would rather say in a few words that they are ready to. */
const begun = '1\n2\n3\n4\n5\n';
/** Lines of the prompt of a first message, and of one with a file in it. */
const prompts = { short: 1, long: 34 } as const;
type Length = keyof typeof prompts;

export interface Measuring {
  readonly modelPath: string;
  readonly contextTokens: number;
  /** Null: the physical cores. */
  readonly threads: number | null;
  /** Each is A, B, C, C, B, A. */
  readonly rounds: number;
}

/** One call, in milliseconds from its start. */
interface Run {
  /** When the first and the last piece of the answer came: ours come a few tokens at a time between these. */
  readonly firstMs: number;
  readonly wholeMs: number;
  /** Of the processes that worked on it, until the first token and in all; null where the system does not say. */
  readonly processor: { readonly first: number; readonly all: number } | null;
  readonly counted: EngineCounts;
}

interface Contestant {
  /** Throws where it does not write as many tokens as it should; `onPiece` at each piece of the answer. */
  readonly write: (
    prompt: { readonly seed: string; readonly lines: number },
    onPiece: () => void,
  ) => Promise<EngineCounts>;
  readonly pids: () => readonly number[];
  readonly runs: Record<Length, Run[]>;
}

/**
 * Ours beside the bare engine, which once has the same pieces of a prompt and once those that it takes by itself. Runs
 * go A, B, C, C, B, A, and of each the least of all rounds counts: whatever else the machine does can only add to it.
 */
export async function againstBareRows(
  { provider, llama }: { readonly provider: Provider; readonly llama: LlamaEngine },
  measuring: Measuring,
): Promise<readonly BenchRow[]> {
  const start = await openBareLibrary(measuring);
  const [same, usual] = [await start(batchTokens.processor), await start(null)];
  const ours = {
    write: writeOurs(provider),
    pids: () => [process.pid, llama.pid() ?? 0],
    runs: { short: [], long: [] },
  };
  const contestants: readonly [Contestant, Contestant, Contestant] = [contestantOf(same), contestantOf(usual), ours];
  try {
    for (const one of contestants) await time(one, 'warm up', 'short');
    for (let round = 0; round < measuring.rounds; round += 1)
      for (const length of ['short', 'long'] as const) {
        for (const one of contestants) one.runs[length].push(await time(one, `round ${round} a`, length));
        for (const one of contestants.toReversed()) one.runs[length].push(await time(one, `round ${round} b`, length));
      }
  } finally {
    await same.dispose();
    await usual.dispose();
  }
  return rowsOf(contestants, measuring);
}

function contestantOf(bare: BareEngine): Contestant {
  return {
    write: (prompt, onPiece) => {
      const { system, user } = storyOf(prompt);
      return bare.write(
        `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n${begun}`,
        outputTokens,
        onPiece,
      );
    },
    pids: () => [process.pid],
    runs: { short: [], long: [] },
  };
}

function writeOurs(provider: Provider): Contestant['write'] {
  return async (prompt, onPiece) => {
    const { system, user } = storyOf(prompt);
    let ended: StreamEnded | null = null;
    const asked = plainRequest([textMessage('system', system), textMessage('user', user)], {
      cacheKey: prompt.seed,
      prefill: begun,
      maxOutputTokens: outputTokens,
    });
    for await (const part of provider.stream(asked, new AbortController().signal)) {
      if (part.type === 'text-delta') onPiece();
      if (part.type === 'ended') ended = part;
    }
    if (ended?.usage.output !== outputTokens)
      throw new Error(`The call wrote ${ended?.usage.output ?? 0} tokens: ${ended?.error?.message ?? ''}`);
    // The first words of all prompts are the same; the bare engine reads them, too.
    if (ended.usage.cacheRead > 12)
      throw new Error(`The engine had kept ${ended.usage.cacheRead} tokens of a prompt that should be new.`);
    if (ended.timings.counted === undefined) throw new Error('The engine did not print what it counted.');
    return ended.timings.counted;
  };
}

/** Every seed has words of its own from the start, so that nothing of a prompt is kept for another. */
function storyOf({ seed, lines }: { readonly seed: string; readonly lines: number }): {
  readonly system: string;
  readonly user: string;
} {
  const story = Array.from(
    { length: lines },
    (_, index) => `In ${seed}, chapter ${index}, the keeper writes down that the lamp burned ${index * 7} hours.`,
  );
  return {
    system: `${seed}: you do exactly what is asked.`,
    user: `${story.join('\n')}\nNow write the numbers from 1 to 300, one a line.`,
  };
}

async function time({ write, pids }: Contestant, round: string, length: Length): Promise<Run> {
  const usedBy = (): number | null =>
    pids().reduce<number | null>((sum, pid) => {
      const used = exactProcessorMs(pid);
      return sum === null || used === null ? null : sum + used;
    }, 0);
  let firstMs: number | null = null;
  let wholeMs = 0;
  let first: number | null = null;
  const before = usedBy();
  const startedAt = performance.now();
  const counted = await write({ seed: `${length} ${round}`, lines: prompts[length] }, () => {
    wholeMs = performance.now() - startedAt;
    firstMs ??= wholeMs;
    first ??= usedBy();
  });
  const after = usedBy();
  return {
    firstMs: firstMs ?? wholeMs,
    wholeMs,
    processor:
      before === null || first === null || after === null ? null : { first: first - before, all: after - before },
    counted,
  };
}

function rowsOf(
  [same, usual, ours]: readonly [Contestant, Contestant, Contestant],
  { rounds, threads }: Measuring,
): readonly BenchRow[] {
  const times = `${rounds * 2} each, ${threads ?? 'all'} threads`;
  const added = (length: Length): BenchRow => {
    const [bare, own] = [least(same.runs[length], besidesMs), least(ours.runs[length], besidesMs)];
    return {
      figure: `added time to the first token beside llama.cpp's own work, ${length} prompt`,
      value: own - bare,
      unit: 'ms',
      target: { atMost: 15 },
      note: `from the call to the first word, less what llama.cpp counted: bare ${bare.toFixed(1)} ms, here ${own.toFixed(1)} ms; the least of ${times}`,
    };
  };
  /** Its own work is compared by what it did: its time is a hundred times what could be added, and never twice the same. */
  const work = (length: Length): BenchRow => {
    const tokens = (one: Contestant): readonly number[] => one.runs[length].map((run) => run.counted.readTokens);
    const spread = ({ runs }: Contestant): string => {
      const perToken = runs[length].map(({ counted }) => counted.readMs / counted.readTokens);
      return `${Math.min(...perToken).toFixed(2)} to ${Math.max(...perToken).toFixed(2)}`;
    };
    return {
      figure: `prompt tokens that llama.cpp computed more than for the bare engine, ${length} prompt`,
      value: Math.max(...tokens(ours)) - Math.min(...tokens(same)),
      unit: '',
      target: { atMost: 0 },
      note: `of ${Math.max(...tokens(same))}; its own milliseconds a token: bare ${spread(same)}, here ${spread(ours)}`,
    };
  };
  const written = `${outputTokens} tokens; the least of ${times}`;
  return [
    added('short'),
    work('short'),
    added('long'),
    work('long'),
    {
      figure: 'writing against the bare engine, by the time of the processor',
      value: share(least(same.runs.long, writingUsedMs), least(ours.runs.long, writingUsedMs)),
      unit: '%',
      target: { atLeast: 99 },
      note: `of both processes; ${written}`,
    },
    {
      figure: 'writing against the bare engine, by the clock',
      value: share(least(same.runs.long, writingMs), least(ours.runs.long, writingMs)),
      unit: '%',
      target: { atLeast: 99 },
      note: `on a quiet machine only; ${written}`,
    },
    {
      figure: 'model calls against bare node-llama-cpp as it comes: speed',
      value: share(
        least(usual.runs.long, (run) => run.wholeMs),
        least(ours.runs.long, (run) => run.wholeMs),
      ),
      unit: '%',
      target: { atLeast: 97 },
      note: `by the clock, so on a quiet machine only; the least of ${times}`,
    },
  ];
}

const writingMs = ({ firstMs, wholeMs }: Run): number => wholeMs - firstMs;
/** All that a call does until the first word but the native calls that compute its prompt. */
const besidesMs = ({ firstMs, counted }: Run): number => firstMs - counted.readMs;
const writingUsedMs = ({ processor }: Run): number =>
  processor === null ? Number.NaN : processor.all - processor.first;

function least(runs: readonly Run[], of: (run: Run) => number): number {
  return Math.min(...runs.map(of));
}

function share(bare: number, own: number): number {
  return (bare / own) * 100;
}
