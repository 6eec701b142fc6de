import { stat } from 'node:fs/promises';
import { readGguf } from './gguf.ts';
import type { EngineError } from './llama-worker/protocol.ts';

/** Looks at a model file before the engine does, which could only say that it failed. Null when it can be loaded. */
export type ModelFileCheck = (path: string) => Promise<EngineError | null>;

/** Remembers files that were good, by size and time. */
export function createModelFileCheck(): ModelFileCheck {
  const good = new Map<string, string>();
  return async (path) => {
    const stamp = await stamped(path);
    if (stamp !== null && good.get(path) === stamp) return null;
    const header = await readGguf(path);
    if (header.ok) {
      good.set(path, stamp ?? '');
      return null;
    }
    const { code, message, hint } = header.error;
    return {
      code: code === 'not-found' ? 'missing-model' : 'bad-model',
      message: hint === undefined ? message : `${message} ${hint}`,
    };
  };
}

async function stamped(path: string): Promise<string | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}
