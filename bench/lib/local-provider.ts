import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { createLlamaCppProvider } from '../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';

export interface LocalPlaces {
  readonly folder: string;
  readonly modelPath: string;
  readonly contextTokens: number;
  /** Null: as many as physical cores. */
  readonly threads: number | null;
}

/** The built-in provider for one model file, on the processor, made as the core makes it. */
export function localProvider(llama: LlamaEngine, places: LocalPlaces): Provider {
  const { folder, modelPath, contextTokens, threads } = places;
  return createLlamaCppProvider(
    {
      cacheDir: folder,
      now: () => performance.now(),
      modelFile: () => Promise.resolve({ path: modelPath, contextTokens: null, parametersB: null, label: 'bench' }),
      localModels: () => Promise.resolve([]),
      llama,
    },
    { id: 'llama-cpp', settings: { gpu: 'off', contextTokens, threads: threads ?? undefined } },
  );
}
