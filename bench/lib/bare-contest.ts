import type { EngineCounts } from '@shared/events/call-report.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { Provider, StreamEnded } from '../../src/main/models/providers/define.ts';
import type { BareEngine } from './bare-engine.ts';
import { exactProcessorMs, scriptProcessorMs } from './exact-processor-time.ts';
import { plainRequest } from './plain-request.ts';

/** The beginning of the answer: larger models would otherwise only say that they are ready. */
const begun = '1\n2\n3\n4\n5\n';

export interface Measuring {
  readonly modelPath: string;
  readonly contextTokens: number;
  /** Null: the physical cores. */
  readonly threads: number | null;
  /** In each round, every contestant runs twice, the second time in reverse order. */
  readonly rounds: number;
}

interface Asked {
  /** Differs for every call and changes all words of a prompt, so that the prompt cache never helps. */
  readonly seed: string;
  readonly lines: number;
  /** The role of the message with most of the words. */
  readonly from: 'system' | 'user';
  readonly outputTokens: number;
}

export interface Contestant {
  /** Throws if it writes fewer tokens than asked for. Calls `onPiece` at each piece of the answer. */
  readonly write: (asked: Asked, onPiece: () => void) => Promise<EngineCounts>;
  readonly pids: () => readonly number[];
}

/** One call, in milliseconds from its start. */
export interface Run {
  /** When the first and the last piece of the answer came. In between, ours come a few tokens at a time. */
  readonly firstMs: number;
  readonly wholeMs: number;
  /** Processor time of the processes involved, until the first token and in all. Null where the system does not say. */
  readonly processor: { readonly first: number; readonly all: number } | null;
  /** Time of their JavaScript threads until the first token, without native work. */
  readonly scriptMs: number | null;
  readonly counted: EngineCounts;
}

export function bareContestant(bare: BareEngine): Contestant {
  return {
    write: (asked, onPiece) => {
      const { system, user } = storyOf(asked);
      return bare.write(
        `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n${begun}`,
        asked.outputTokens,
        onPiece,
      );
    },
    pids: () => [process.pid],
  };
}

export function ourContestant({
  provider,
  llama,
}: {
  readonly provider: Provider;
  readonly llama: LlamaEngine;
}): Contestant {
  return { write: writeOurs(provider), pids: () => [process.pid, llama.pid() ?? 0] };
}

function writeOurs(provider: Provider): Contestant['write'] {
  return async (asked, onPiece) => {
    const { system, user } = storyOf(asked);
    let ended: StreamEnded | null = null;
    const request = plainRequest([textMessage('system', system), textMessage('user', user)], {
      cacheKey: asked.seed,
      prefill: begun,
      maxOutputTokens: asked.outputTokens,
    });
    for await (const part of provider.stream(request, new AbortController().signal)) {
      if (part.type === 'text-delta') onPiece();
      if (part.type === 'ended') ended = part;
    }
    if (ended?.usage.output !== asked.outputTokens)
      throw new Error(`The call wrote ${ended?.usage.output ?? 0} tokens: ${ended?.error?.message ?? ''}`);
    // All prompts begin with the same words, which the bare engine reads, too.
    if (ended.usage.cacheRead > 12)
      throw new Error(`The engine had kept ${ended.usage.cacheRead} tokens of a prompt that should be new.`);
    if (ended.timings.counted === undefined) throw new Error('The engine did not print what it counted.');
    return ended.timings.counted;
  };
}

function storyOf({ seed, lines, from }: Asked): { readonly system: string; readonly user: string } {
  const story = Array.from(
    { length: lines },
    (_, index) => `In ${seed}, chapter ${index}, the keeper writes down that the lamp burned ${index * 7} hours.`,
  ).join('\n');
  const system = `${seed}: you do exactly what is asked.`;
  const user = 'Now write the numbers from 1 to 300, one a line.';
  return from === 'system' ? { system: `${system}\n${story}`, user } : { system, user: `${story}\n${user}` };
}

export async function time({ write, pids }: Contestant, asked: Asked): Promise<Run> {
  const sumOf = (of: (pid: number) => number | null): number | null =>
    pids().reduce<number | null>((sum, pid) => {
      const used = of(pid);
      return sum === null || used === null ? null : sum + used;
    }, 0);
  const usedBy = (): number | null => sumOf(exactProcessorMs);
  let firstMs: number | null = null;
  let wholeMs = 0;
  let first: number | null = null;
  let script: number | null = null;
  const [before, scriptBefore] = [usedBy(), sumOf(scriptProcessorMs)];
  const startedAt = performance.now();
  const counted = await write(asked, () => {
    wholeMs = performance.now() - startedAt;
    firstMs ??= wholeMs;
    first ??= usedBy();
    script ??= sumOf(scriptProcessorMs);
  });
  const after = usedBy();
  if (firstMs === null) throw new Error('Nothing of the answer came.');
  return {
    firstMs,
    wholeMs,
    processor:
      before === null || first === null || after === null ? null : { first: first - before, all: after - before },
    scriptMs: script === null || scriptBefore === null ? null : script - scriptBefore,
    counted,
  };
}

export function least(runs: readonly Run[], of: (run: Run) => number): number {
  return Math.min(...runs.map(of));
}
