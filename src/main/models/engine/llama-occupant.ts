import { basename } from 'node:path';
import type { EngineOccupant } from './local-engines.ts';
import type { ContextGrants } from '../memory/grant-context.ts';
import type { LlamaEngine } from './llama-engine.ts';

/** The engine inside Dewpoint, among the engines of this machine. */
export function createLlamaOccupant(
  llama: Pick<LlamaEngine, 'loadedPath' | 'release'>,
  context: Pick<ContextGrants, 'taken'>,
): EngineOccupant {
  return {
    held: async () => {
      const path = llama.loadedPath();
      const taken = path === null ? null : await context.taken(path);
      return path === null || taken === null ? [] : [{ model: nameOf(path), ...taken }];
    },
    unload: async () => {
      const path = llama.loadedPath();
      if (path !== null) await llama.release(path);
    },
  };
}

function nameOf(path: string): string {
  return `llama-cpp/${basename(path).replace(/\.gguf$/i, '')}`;
}
