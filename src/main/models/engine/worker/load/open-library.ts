import type { Llama } from 'node-llama-cpp';
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EngineCards } from '../worker-protocol.ts';

type Cards = 'auto' | 'off';

const opened: { auto: Promise<Llama> | null; off: Promise<Llama> | null } = { auto: null, off: null };
/** Its one binary of the engine has Metal: there, nothing is loaded onto the card where none is wanted. */
const isAppleSilicon = process.platform === 'darwin' && process.arch === 'arm64';

/**
 * The engine, opened once and kept for the life of the process. It has one logger for a binary, and loses it a moment
 * after the same binary is opened again: then nobody hears what it counts and what it allocates.
 */
export async function openLibrary(cards: Cards): Promise<Llama> {
  if (cards === 'auto' || isAppleSilicon) return (opened.auto ??= open('auto'));
  const auto = await opened.auto;
  return auto?.gpu === false ? auto : (opened.off ??= open('off'));
}

/** For what is made on paper: without a card where there is a choice. */
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
      // What it allocates, and what it counted, it says at this level only.
      logLevel: LlamaLogLevel.info,
      logger: () => undefined,
      progressLogs: false,
    });
  } catch (error) {
    // The next try may have more room.
    opened[cards] = null;
    throw error;
  }
}

/**
 * Has node-llama-cpp find the libraries for cards in the cache, where they are put when a person wants them: the
 * installation brings none. To be called before it is loaded.
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

/** The cards that the engine can use, and their memory now, by its backend; null where it computes on the processor. */
export async function readEngineCards(loaded: Llama | null): Promise<EngineCards | null> {
  const llama = loaded !== null && loaded.gpu !== false ? loaded : await openLibrary('auto');
  if (llama.gpu === false) return null;
  const [{ total, free, unifiedSize }, names] = await Promise.all([llama.getVramState(), llama.getGpuDeviceNames()]);
  return { backend: llama.gpu, names, totalBytes: total, freeBytes: free, sharedBytes: unifiedSize };
}
