import { join } from 'node:path';
import { llamaCppSchema, ollamaSchema } from '@shared/settings.ts';
import { createGenerators } from '../../src/main/engines/generators.ts';
import { createGrantContext } from '../../src/main/engines/grant-context.ts';
import { createHeaderReader } from '../../src/main/engines/header-reader.ts';
import type { Hardware } from '../../src/main/engines/hardware.ts';
import type { LlamaEngine } from '../../src/main/engines/llama-client.ts';
import { createLlamaSeat } from '../../src/main/engines/llama-seat.ts';
import { createLoadSteps } from '../../src/main/engines/load-steps.ts';
import { createPlanServer } from '../../src/main/engines/plan-server.ts';
import type { Provider } from '../../src/main/providers/define.ts';
import llamaCpp from '../../src/main/providers/llama-cpp.provider.ts';
import { createOllamaProvider } from '../../src/main/providers/ollama/create-ollama.ts';
import { providerDependencies } from './provider-kit.ts';

export interface TwoEnginesOptions {
  readonly engine: LlamaEngine;
  /** The file of every model of the engine inside. */
  readonly modelPath: string;
  /** Of the Ollama server. */
  readonly address: string;
  /** A folder of the test's own. */
  readonly dir: string;
  readonly contextTokens: number;
  readonly hardware: () => Hardware;
}

/** Both engines of a machine, wired as in the app. */
export function twoEngines(options: TwoEnginesOptions): { readonly inside: Provider; readonly ollama: Provider } {
  const { engine, modelPath, address, dir, contextTokens } = options;
  const generators = createGenerators();
  const readHeader = createHeaderReader();
  const readHardware = async (): Promise<Hardware> => options.hardware();
  const context = createGrantContext({
    readHeader,
    readHardware,
    enginePid: () => engine.pid(),
    loadedPath: () => engine.loadedPath(),
    others: (signal) => generators.others('llama-cpp', signal),
    steps: createLoadSteps(join(dir, 'steps.json')),
    now: () => 0,
  });
  generators.join('llama-cpp', createLlamaSeat(engine, context));
  const dependencies = providerDependencies({
    cacheDir: dir,
    generators,
    llama: engine,
    grantContext: context.grant,
    fitsBeside: context.fitsBeside,
    planServer: createPlanServer({ readHardware, readHeader }),
    modelFile: async () => ({ path: modelPath, contextTokens: null, parametersB: null, label: 'own' }),
  });
  return {
    inside: llamaCpp.create(dependencies, {
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
