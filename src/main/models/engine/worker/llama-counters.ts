import type { LlamaContext } from 'node-llama-cpp';
import type { EngineCounts } from '@shared/events/call-report.ts';

/** llama.cpp's own counts for the calls of a context. It can only print them, and starts from zero after that. */
export interface LlamaCounters {
  readonly hear: (line: string) => void;
  /**
   * The counts since the last call of `take`. Null if it did not print them. Call it only between calls of the
   * model.
   */
  readonly take: <Level>(made: MadeContext<Level>) => Promise<EngineCounts | null>;
}

interface MadeContext<Level> {
  readonly llama: { logLevel: Level };
  readonly levels: { readonly info: Level; readonly error: Level };
  readonly context: Pick<LlamaContext, 'printTimings'>;
}

/** Batches of several tokens are `prompt eval`, single tokens are `eval`. */
const line = /\b(prompt eval|eval) time\s*=\s*([\d.]+) ms\s*\/\s*(\d+) (?:tokens|runs)/gu;
const nothing = { tokens: 0, ms: 0 };
const mostWaitMs = 200;

export function createLlamaCounters(): LlamaCounters {
  let read = nothing;
  let onWritten: ((written: typeof nothing) => void) | null = null;
  return {
    hear: (text) => {
      for (const [, kind, ms, tokens] of text.matchAll(line)) {
        // It never prints a count below one, but a time of zero means that there was nothing.
        const counted = Number(ms) === 0 ? nothing : { tokens: Number(tokens), ms: Number(ms) };
        if (kind === 'eval') onWritten?.(counted);
        else read = counted;
      }
    },
    take: async ({ llama, levels, context }) => {
      read = nothing;
      // It prints from its own thread, a moment later, and prints what it read first.
      const heard = new Promise<typeof nothing | null>((resolve) => {
        onWritten = resolve;
        setTimeout(() => resolve(null), mostWaitMs);
      });
      llama.logLevel = levels.info;
      await context.printTimings();
      const written = await heard;
      llama.logLevel = levels.error;
      onWritten = null;
      if (written === null) return null;
      return { readTokens: read.tokens, readMs: read.ms, writtenTokens: written.tokens, writtenMs: written.ms };
    },
  };
}
