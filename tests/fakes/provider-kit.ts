import { directFetch } from '../../src/main/lib/net/net-fetch.ts';
import type { LlamaCppParts } from '../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import type { LlamaServerParts } from '../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import type { OllamaParts } from '../../src/main/models/providers/ollama/create-ollama-provider.ts';
import { localProviders } from '../../src/main/models/providers/local-providers.ts';
import { discoverProviders, type ProviderRegistry } from '../../src/main/models/providers/registry.ts';
import type { ModelRequest, ProviderDependencies, StreamPart } from '../../src/main/models/providers/define.ts';

type AnyDependencies = ProviderDependencies & LlamaCppParts & LlamaServerParts & OllamaParts;

/** The dependencies of a provider under test, of whatever kind: no key, no model file, the real clock. */
export function providerDependencies(overrides: Partial<AnyDependencies> = {}): AnyDependencies {
  return {
    cacheDir: '/nonexistent',
    now: () => performance.now(),
    fetch: directFetch,
    secret: async () => null,
    modelFile: async () => null,
    localModels: async () => [],
    ...overrides,
  };
}

/** Every kind of provider, on a machine without engines and servers. */
export function allProviders(): ProviderRegistry {
  const parts = providerDependencies();
  return discoverProviders(localProviders({ llamaCpp: parts, llamaServer: parts, ollama: parts }));
}

export function request(model: string, text = 'hello'): ModelRequest {
  return {
    model,
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 64,
    cacheKey: 'test',
  };
}

export async function collect(stream: AsyncIterable<StreamPart>): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
