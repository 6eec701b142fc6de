import { LlamaLogLevel } from 'node-llama-cpp';
import type { EngineCounts } from '@shared/events/call-report.ts';
import { openLibrary } from '../../src/main/models/engine/worker/load/open-library.ts';
import { createLlamaCounters } from '../../src/main/models/engine/worker/llama-counters.ts';

/** Uses node-llama-cpp as its manual shows, without our code, to compare the product's calls with it. */
export interface BareEngine {
  /**
   * Reads a prompt on an empty sequence and writes up to `tokens` tokens, greedily. Calls `onToken` after each token is
   * turned into text. Returns the counts of llama.cpp.
   */
  write(prompt: string, tokens: number, onToken: () => void): Promise<EngineCounts>;
  dispose(): Promise<void>;
}

/**
 * Starts engines that share a library, because the library has only one logger. `batchTokens`: null for the engine's
 * default. `threads`: null for the physical cores.
 */
export async function openBareLibrary(options: {
  readonly modelPath: string;
  readonly contextTokens: number;
  readonly threads: number | null;
}): Promise<(batchTokens: number | null) => Promise<BareEngine>> {
  const counters = createLlamaCounters();
  const llama = await openLibrary('off');
  llama.logger = (_level, line) => counters.hear(line);
  llama.logLevel = LlamaLogLevel.error;
  llama.maxThreads = options.threads ?? llama.cpuMathCores;
  return async (batchSize) => {
    const model = await llama.loadModel({ modelPath: options.modelPath, gpuLayers: 0 });
    const context = await model.createContext({
      contextSize: options.contextTokens,
      performanceTracking: true,
      ...(batchSize === null ? {} : { batchSize }),
    });
    const sequence = context.getSequence();
    return {
      async write(prompt, tokens, onToken) {
        await sequence.clearHistory();
        let written = 0;
        for await (const token of sequence.evaluate(model.tokenize(prompt, true), { temperature: 0 })) {
          // Turns each token into text, as a user's program would.
          model.detokenize([token]);
          onToken();
          written += 1;
          if (written === tokens) break;
        }
        const counted = await counters.take({ llama, levels: LlamaLogLevel, context });
        if (counted === null) throw new Error('The bare engine did not print what it counted.');
        return counted;
      },
      async dispose() {
        await context.dispose();
        await model.dispose();
      },
    };
  };
}
