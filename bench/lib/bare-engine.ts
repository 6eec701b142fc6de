import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

/** node-llama-cpp used as its manual shows, without anything of ours: what the product's calls are compared with. */
export interface BareEngine {
  /** Tokens of a text with its control tokens. */
  countTokens(text: string): number;
  /** Milliseconds to read a prompt and write up to `tokens` tokens, greedily, on an empty sequence. */
  time(
    prompt: string,
    tokens: number,
  ): Promise<{ readonly ms: number; readonly firstTokenMs: number; readonly written: number }>;
  dispose(): Promise<void>;
}

/** `threads`: null for the physical cores. */
export async function startBareEngine(
  modelPath: string,
  contextSize: number,
  threads: number | null,
): Promise<BareEngine> {
  const llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
  llama.maxThreads = threads ?? llama.cpuMathCores;
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize });
  const sequence = context.getSequence();
  return {
    countTokens: (text) => model.tokenize(text, true).length,
    async time(prompt, tokens) {
      await sequence.clearHistory();
      const input = model.tokenize(prompt, true);
      const startedAt = performance.now();
      let firstTokenMs = 0;
      let written = 0;
      for await (const token of sequence.evaluate(input, { temperature: 0 })) {
        // As a user of it would: each token becomes text.
        model.detokenize([token]);
        written += 1;
        if (written === 1) firstTokenMs = performance.now() - startedAt;
        if (written === tokens) break;
      }
      return { ms: performance.now() - startedAt, firstTokenMs, written };
    },
    async dispose() {
      await context.dispose();
      await model.dispose();
    },
  };
}
