import type { Llama } from 'node-llama-cpp';
import { openLibrary } from './load/open-library.ts';
import type { EngineCards } from './worker-protocol.ts';

/** The cards that the engine can use, and their memory now, by its backend; null where it computes on the processor. */
export async function readEngineCards(loaded: Llama | null): Promise<EngineCards | null> {
  const llama = loaded !== null && loaded.gpu !== false ? loaded : await openLibrary('auto');
  if (llama.gpu === false) return null;
  const [{ total, free, unifiedSize }, names] = await Promise.all([llama.getVramState(), llama.getGpuDeviceNames()]);
  return { backend: llama.gpu, names, totalBytes: total, freeBytes: free, sharedBytes: unifiedSize };
}
