import { describe, expect, it } from 'vitest';
import type { ContextGrant } from '../../../../../src/main/models/memory/grant-context.ts';
import type { ProjectorFacts } from '../../../../../src/main/models/memory/estimate/projector-memory.ts';
import type { LlamaEngine } from '../../../../../src/main/models/engine/llama-engine.ts';
import type { LoadedModel, LoadOptions } from '../../../../../src/main/models/engine/worker/worker-protocol.ts';
import type { StreamPart } from '../../../../../src/main/models/providers/define.ts';
import { createLlamaCppProvider } from '../../../../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';

const grant: ContextGrant = {
  askedTokens: 65536,
  grantedTokens: 20480,
  sequences: 3,
  predictedBytes: 5e9,
  ownBytes: 2e9,
  placement: 'devices',
  gpuLayers: 29,
  cacheType: 'f16',
  expectsCard: true,
  why: 'Asked 65536, granted 20480 tokens, because of the card.',
  isSmaller: false,
};

/** An engine that answers at once with the given loaded model and records the load options. */
function engine(loaded: LoadedModel | null): { readonly llama: LlamaEngine; readonly loads: LoadOptions[] } {
  const loads: LoadOptions[] = [];
  return {
    loads,
    llama: {
      async *generate(model) {
        loads.push(model);
        yield {
          type: 'ended',
          queuedMs: 0,
          totalMs: 1,
          loaded,
          generation: {
            stopReason: 'stop',
            promptTokens: 1,
            evaluatedTokens: 1,
            outputTokens: 1,
            prefillMs: 1,
            decodeMs: 1,
            error: null,
          },
        };
      },
      count: async () => ({ ok: true, tokens: 1 }),
      embed: () => Promise.reject(new Error('Nothing is embedded here.')),
      download: async () => ({ ok: true, value: null }),
      measure: async () => null,
      cards: async () => null,
      stats: async () => null,
      pid: () => null,
      loadedPath: () => null,
      loadedAdapter: () => null,
      release: async () => undefined,
      startAnew: async () => undefined,
      dispose: async () => undefined,
    },
  };
}

async function ended(loaded: LoadedModel | null): Promise<{
  readonly part: Extract<StreamPart, { type: 'ended' }>;
  readonly loads: readonly LoadOptions[];
}> {
  const { llama, loads } = engine(loaded);
  const provider = createLlamaCppProvider(
    {
      cacheDir: '/cache',
      now: () => 0,
      modelFile: async () => ({ path: '/m.gguf', contextTokens: 131072, parametersB: 8, label: 'M' }),
      localModels: async () => ['m'],
      llama,
      grantContext: async () => grant,
    },
    { id: 'llama-cpp', settings: { gpu: 'auto' } },
  );
  const request = {
    model: 'm',
    messages: [],
    tools: [],
    output: { type: 'text' as const },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 8,
    cacheKey: 'k',
  };
  expect((await provider.list(new AbortController().signal))[0]?.contextTokens).toBe(20480);
  for await (const part of provider.stream(request, new AbortController().signal))
    if (part.type === 'ended') return { part, loads };
  throw new Error('it never ended');
}

const facts: ProjectorFacts = {
  kind: 'gemma3',
  modelWidth: null,
  weightsBytes: 1,
  width: 1,
  layers: 1,
  feedForward: 1,
  patch: 1,
  merge: 1,
  imageSize: 1,
  size: null,
};

describe('a local model with a projector', () => {
  it.each([
    [{ projector: { path: '/mmproj.gguf', facts } }, 'llama-server'],
    [{ refusal: 'It belongs to another model.' }, undefined],
    [undefined, undefined],
  ])('names the engine that uses it: %j', async (sight, seesWith) => {
    const dependencies = {
      cacheDir: '/cache',
      now: () => 0,
      modelFile: async () => ({ path: '/m.gguf', contextTokens: 131072, parametersB: 8, label: 'M', sight }),
      localModels: async () => ['m'],
      llama: engine(null).llama,
      grantContext: async () => grant,
    };
    const provider = createLlamaCppProvider(dependencies, { id: 'llama-cpp', settings: { gpu: 'auto' } });
    const [info] = await provider.list(new AbortController().signal);
    expect([info?.seesWith, info?.capabilities.images]).toEqual([seesWith, undefined]);
  });
});

const loaded: LoadedModel = {
  contextTokens: 20480,
  sequences: 2,
  threads: 2,
  backend: 'cpu',
  template: 'chatml',
  observedBytes: 5.1e9,
  loadMs: 1,
};

describe('the report of a local model', () => {
  it('has the wanted, granted and made size with every reason', async () => {
    const { part, loads } = await ended(loaded);
    expect(loads).toMatchObject([{ contextTokens: 20480, sequences: 3 }]);
    expect(part.engine).toEqual({
      backend: 'cpu',
      askedTokens: 65536,
      grantedTokens: 20480,
      contextTokens: 20480,
      sequences: 2,
      predictedBytes: 5e9,
      observedBytes: 5.1e9,
      findings: ['other-backend'],
      why: `${grant.why}; room for 2 conversations only; a card was found, but the engine uses the processor`,
    });
  });

  it('is empty without a load', async () => {
    expect((await ended(null)).part.engine).toBeUndefined();
  });
});
