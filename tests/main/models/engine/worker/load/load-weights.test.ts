import type { LlamaModelOptions } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { loadWeights } from '../../../../../../src/main/models/engine/worker/load/load-model.ts';

class InsufficientMemoryError extends Error {
  override name = 'InsufficientMemoryError';
}

/** A card with room for this many layers. */
function card(room: number) {
  const asked: LlamaModelOptions['gpuLayers'][] = [];
  const llama = {
    gpu: 'metal',
    loadModel: ({ gpuLayers = 'auto' }: LlamaModelOptions): Promise<number> => {
      asked.push(gpuLayers);
      if (typeof gpuLayers !== 'number') return Promise.resolve(room);
      if (gpuLayers > room) return Promise.reject(new InsufficientMemoryError('Not enough VRAM'));
      return Promise.resolve(gpuLayers);
    },
  };
  const load = (gpuLayers: number | null, gpu: 'auto' | 'off' = 'auto'): Promise<number> =>
    loadWeights({ llama, InsufficientMemoryError }, { modelPath: 'm.gguf', gpu, gpuLayers }, () => undefined);
  return { asked, load };
}

describe('the loader of weights', () => {
  it('puts the planned layers on the card', async () => {
    const { asked, load } = card(40);
    expect(await load(33)).toBe(33);
    expect(asked).toEqual([33]);
  });

  it('puts no layer on the card when no card is wanted', async () => {
    expect(await card(40).load(null, 'off')).toBe(0);
  });

  it('fails when the card has no room for the planned layers', async () => {
    const { asked, load } = card(20);
    const error = await load(33).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsufficientMemoryError);
    expect(String(error)).toContain('The card has no room for the 33 planned layers. Not enough VRAM.');
    expect(asked).toEqual([33]);
  });

  it('leaves the choice to the engine when nothing is planned', async () => {
    const { asked, load } = card(20);
    expect(await load(null)).toBe(20);
    expect(asked).toEqual(['auto']);
  });
});
