import type { ModelInfo } from '@shared/models/model-info.ts';

type InfoOf = (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;

export interface LearnedWindows {
  readonly modelInfo: InfoOf;
  /** A server said that the context of a model is this small. */
  readonly noteWindow: (modelId: string, tokens: number) => void;
}

/** Knows contexts that servers named in their refusals, for as long as the program runs. */
export function createLearnedWindows(infoOf: InfoOf): LearnedWindows {
  const learned = new Map<string, number>();
  return {
    modelInfo: async (id, signal) => {
      const info = await infoOf(id, signal);
      const said = learned.get(id) ?? Infinity;
      return info === null || info.contextTokens <= said ? info : { ...info, contextTokens: said };
    },
    noteWindow: (modelId, tokens) => {
      learned.set(modelId, Math.min(tokens, learned.get(modelId) ?? Infinity));
    },
  };
}
