import { join } from 'node:path';
import { llamaCppSchema, ollamaSchema } from '@shared/settings/settings.ts';
import { createLocalEngines } from '../../src/main/models/engine/local-engines.ts';
import { createGrantContext, createLlamaOccupant } from '../../src/main/models/memory/grant-context.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { Hardware } from '../../src/main/models/machine/hardware.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { createLoadSteps } from '../../src/main/models/memory/load-steps.ts';
import { createServerMemoryPlanner } from '../../src/main/models/memory/server-memory-planner.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { createLlamaCppProvider } from '../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import { createOllamaProvider } from '../../src/main/models/providers/ollama/create-ollama-provider.ts';
import { providerDependencies } from './provider-kit.ts';

export interface TwoEnginesOptions {
  readonly engine: LlamaEngine;
  /** The file of every model of the built-in engine. */
  readonly modelPath: string;
  /** The address of the Ollama server. */
  readonly address: string;
  /** A folder that belongs to the test. */
  readonly dir: string;
  readonly contextTokens: number;
  readonly hardware: () => Hardware;
}

/** Both engines of a machine, wired as in the app. */
export function twoEngines(options: TwoEnginesOptions): { readonly inside: Provider; readonly ollama: Provider } {
  const { engine, modelPath, address, dir, contextTokens } = options;
  const localEngines = createLocalEngines();
  const readHeader = createHeaderReader();
  const readHardware = async (): Promise<Hardware> => options.hardware();
  const context = createGrantContext({
    readHeader,
    readHardware,
    enginePid: () => engine.pid(),
    loadedPath: () => engine.loadedPath(),
    others: (signal) => localEngines.heldByOthers('llama-cpp', signal),
    steps: createLoadSteps(join(dir, 'steps.json')),
    now: () => 0,
  });
  localEngines.register('llama-cpp', createLlamaOccupant(engine, context));
  const dependencies = providerDependencies({
    cacheDir: dir,
    localEngines,
    llama: engine,
    grantContext: context.grant,
    fitsBeside: context.fitsBeside,
    serverMemoryPlanner: createServerMemoryPlanner({ readHardware, readHeader }),
    modelFile: async () => ({ path: modelPath, contextTokens: null, parametersB: null, label: 'own' }),
  });
  return {
    inside: createLlamaCppProvider(dependencies, {
      id: 'llama-cpp',
      settings: llamaCppSchema.parse({ kind: 'llama-cpp', contextTokens }),
    }),
    ollama: createOllamaProvider(
      dependencies,
      { id: 'ollama', settings: ollamaSchema.parse({ kind: 'ollama', baseUrl: address, contextTokens }) },
      { askMs: 60_000, loadMs: 110_000, stallMs: 110_000 },
    ),
  };
}
