import type { Llama } from 'node-llama-cpp';
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EngineCards } from '../worker-protocol.ts';

type Cards = 'auto' | 'off';

const opened: { auto: Promise<Llama> | null; off: Promise<Llama> | null } = { auto: null, off: null };
/**
 * The engine has only one build for Apple Silicon, and it includes Metal. To use no card there, no layers are put on
 * it.
 */
const isAppleSilicon = process.platform === 'darwin' && process.arch === 'arm64';

/**
 * The engine library, opened once for the life of the process. Each binary has one logger, and loses it soon after
 * the same binary is opened again. Then nothing hears its counts and allocations.
 */
export async function openLibrary(cards: Cards): Promise<Llama> {
  if (cards === 'auto' || isAppleSilicon) return (opened.auto ??= open('auto'));
  const auto = await opened.auto;
  return auto?.gpu === false ? auto : (opened.off ??= open('off'));
}

/** The library for dry runs: without a card if possible. */
export async function openForPlans(): Promise<Llama> {
  if (opened.off !== null) return opened.off;
  const auto = await openLibrary('auto');
  return auto.gpu === false ? auto : openLibrary('off');
}

async function open(cards: Cards): Promise<Llama> {
  try {
    const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
    return await getLlama({
      build: 'never',
      gpu: cards === 'off' ? false : 'auto',
      // Only at this level does it print its allocations and counts.
      logLevel: LlamaLogLevel.info,
      logger: () => undefined,
      progressLogs: false,
    });
  } catch (error) {
    // The next try may have more memory.
    opened[cards] = null;
    throw error;
  }
}

/**
 * Makes node-llama-cpp find downloaded libraries for cards in the cache, because the installation contains none.
 * Call it before node-llama-cpp is loaded.
 */
export function useFetchedEngines(dir: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const name = /^@node-llama-cpp\/([a-z0-9-]+)$/u.exec(specifier)?.[1];
      const entry = name === undefined ? null : join(dir, name, 'dist', 'index.js');
      if (entry === null || !existsSync(entry)) return next(specifier, context);
      return { url: pathToFileURL(entry).href, format: 'module', shortCircuit: true };
    },
  });
}

/** The cards and their memory now, as the engine's backend reports them. Null if it computes on the processor. */
export async function readEngineCards(loaded: Llama | null): Promise<EngineCards | null> {
  const llama = loaded !== null && loaded.gpu !== false ? loaded : await openLibrary('auto');
  if (llama.gpu === false) return null;
  const [{ total, free, unifiedSize }, names] = await Promise.all([llama.getVramState(), llama.getGpuDeviceNames()]);
  return { backend: llama.gpu, names, totalBytes: total, freeBytes: free, sharedBytes: unifiedSize };
}
