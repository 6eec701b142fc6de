import type { Llama } from 'node-llama-cpp';
import type { CardsSeen } from './protocol.ts';

/** An engine of its own: kept, because ending one could take what another has loaded with it. */
let own: Promise<Llama> | null = null;

/** The cards that the engine can use, and their memory now, by its backend; null where it computes on the processor. */
export async function seeCards(loaded: Llama | null): Promise<CardsSeen | null> {
  const llama = loaded !== null && loaded.gpu !== false ? loaded : await (own ??= openEngine());
  if (llama.gpu === false) return null;
  const [{ total, free, unifiedSize }, names] = await Promise.all([llama.getVramState(), llama.getGpuDeviceNames()]);
  return { backend: llama.gpu, names, totalBytes: total, freeBytes: free, sharedBytes: unifiedSize };
}

async function openEngine(): Promise<Llama> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
  return getLlama({ build: 'never', gpu: 'auto', logLevel: LlamaLogLevel.error, progressLogs: false });
}
