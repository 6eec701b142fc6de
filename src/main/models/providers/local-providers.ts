import { llamaCppSchema, llamaServerSchema, ollamaSchema } from '@shared/settings/settings.ts';
import { firstWordMs, stallMs } from './call/stall-watch.ts';
import type { ProviderDefinition } from './define.ts';
import { defineProvider } from './define.ts';
import { createLlamaCppProvider, type LlamaCppParts } from './llama-cpp/create-llama-cpp-provider.ts';
import { createLlamaServerProvider, type LlamaServerParts } from './llama-server/create-llama-server-provider.ts';
import { createOllamaProvider, type OllamaParts } from './ollama/create-ollama-provider.ts';

/** What each kind needs of this machine. */
export interface LocalProviderParts {
  readonly llamaCpp: LlamaCppParts;
  readonly llamaServer: LlamaServerParts;
  readonly ollama: OllamaParts;
}

/** The kinds of providers that use this machine's files, programs and memory. */
export function localProviders({ llamaCpp, llamaServer, ollama }: LocalProviderParts): readonly ProviderDefinition[] {
  return [
    defineProvider({
      kind: 'llama-cpp',
      label: 'On this machine',
      settings: llamaCppSchema,
      secrets: [],
      create: (dependencies, instance) => createLlamaCppProvider({ ...llamaCpp, ...dependencies }, instance),
    }),
    defineProvider({
      kind: 'llama-server',
      label: 'llama-server on this machine',
      settings: llamaServerSchema,
      secrets: [],
      create: (dependencies, instance) => createLlamaServerProvider({ ...llamaServer, ...dependencies }, instance),
    }),
    // Over its own API: its OpenAI-compatible one ignores the requested context size.
    defineProvider({
      kind: 'ollama',
      label: 'Ollama',
      settings: ollamaSchema,
      secrets: [],
      create: (dependencies, instance) =>
        createOllamaProvider({ ...ollama, ...dependencies }, instance, {
          askMs: 5_000,
          loadMs: firstWordMs(instance.settings),
          stallMs: stallMs.local,
        }),
    }),
  ];
}
