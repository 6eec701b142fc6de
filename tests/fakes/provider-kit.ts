import { directFetch } from '../../src/main/lib/net/net-fetch.ts';
import type { ModelRequest, ProviderDependencies, StreamPart } from '../../src/main/models/providers/define.ts';

/** The dependencies of a provider under test: no key, no model file, the real clock. */
export function providerDependencies(overrides: Partial<ProviderDependencies> = {}): ProviderDependencies {
  return {
    cacheDir: '/nonexistent',
    now: () => performance.now(),
    fetch: directFetch,
    secret: async () => null,
    modelFile: async () => null,
    localModels: async () => [],
    workerPath: '/nonexistent/worker.cjs',
    nodePath: process.execPath,
    ...overrides,
  };
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
