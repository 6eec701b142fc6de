import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

/** node-llama-cpp used as its manual shows, without anything of ours: what the product's calls are compared with. */
export interface BareEngine {
  /** Tokens of a text with its control tokens. */
  countTokens(text: string): number;
  /** Reads a prompt on an empty sequence and writes up to `tokens` tokens, greedily; `onToken` at each, as text. */
  write(prompt: string, tokens: number, onToken: () => void): Promise<void>;
  dispose(): Promise<void>;
}

/** `threads`: null for the physical cores; `batchTokens`: null for what the engine takes by itself. */
export async function startBareEngine(options: {
  readonly modelPath: string;
  readonly contextTokens: number;
  readonly threads: number | null;
  readonly batchTokens: number | null;
}): Promise<BareEngine> {
  const llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
  llama.maxThreads = options.threads ?? llama.cpuMathCores;
  const model = await llama.loadModel({ modelPath: options.modelPath });
  const context = await model.createContext({
    contextSize: options.contextTokens,
    ...(options.batchTokens === null ? {} : { batchSize: options.batchTokens }),
  });
  const sequence = context.getSequence();
  return {
    countTokens: (text) => model.tokenize(text, true).length,
    async write(prompt, tokens, onToken) {
      await sequence.clearHistory();
      let written = 0;
      for await (const token of sequence.evaluate(model.tokenize(prompt, true), { temperature: 0 })) {
        // As a user of it would: each token becomes text.
        model.detokenize([token]);
        onToken();
        written += 1;
        if (written === tokens) break;
      }
    },
    async dispose() {
      await context.dispose();
      await model.dispose();
    },
  };
}
