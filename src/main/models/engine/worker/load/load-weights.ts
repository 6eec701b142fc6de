import type { LlamaModelOptions } from 'node-llama-cpp';
import type { LoadOptions } from '../worker-protocol.ts';

/** What of the library this needs; `Model` is what it loads. */
interface Loader<Model> {
  readonly llama: { readonly gpu: unknown; loadModel(options: LlamaModelOptions): Promise<Model> };
  readonly InsufficientMemoryError: new (message: string) => Error;
}

/**
 * Layers lie where they are planned, or the load fails with the engine's reason: it looks at the cards once more by
 * itself, and where it would place them is another plan, which whoever asked has to hear of.
 */
export async function loadWeights<Model>(
  { llama, InsufficientMemoryError }: Loader<Model>,
  { modelPath, gpu, gpuLayers: planned }: Pick<LoadOptions, 'modelPath' | 'gpu' | 'gpuLayers'>,
  onLoadProgress: (fraction: number) => void,
): Promise<Model> {
  const options = { modelPath, onLoadProgress };
  // An engine that has no build without its card.
  const gpuLayers = gpu === 'off' && llama.gpu !== false ? 0 : planned;
  if (gpuLayers === null) return llama.loadModel(options);
  try {
    return await llama.loadModel({ ...options, gpuLayers });
  } catch (error) {
    if (!(error instanceof InsufficientMemoryError)) throw error;
    throw new InsufficientMemoryError(
      `The engine finds no room on the card for the ${gpuLayers} layers that were planned. ${error.message}.`,
    );
  }
}
