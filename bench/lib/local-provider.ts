import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import llamaCpp from '../../src/main/models/providers/llama-cpp.provider.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { directFetch } from '../../src/main/lib/net/net-fetch.ts';

export interface LocalPlaces {
  readonly folder: string;
  readonly workerPath: string;
  readonly modelPath: string;
  readonly contextTokens: number;
  /** Null: as many as physical cores. */
  readonly threads: number | null;
}

/** The built-in provider for one model file, on the processor, made as the core makes it. */
export function localProvider(llama: LlamaEngine, places: LocalPlaces): Provider {
  const { folder, workerPath, modelPath, contextTokens, threads } = places;
  return llamaCpp.create(
    {
      cacheDir: folder,
      now: () => performance.now(),
      fetch: directFetch,
      secret: () => Promise.resolve(null),
      modelFile: () => Promise.resolve({ path: modelPath, contextTokens: null, parametersB: null, label: 'bench' }),
      localModels: () => Promise.resolve([]),
      workerPath,
      nodePath: process.execPath,
      llama,
    },
    { id: 'llama-cpp', settings: { kind: 'llama-cpp', gpu: 'off', contextTokens, threads: threads ?? undefined } },
  );
}
