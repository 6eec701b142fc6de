import type { ReadHeader } from './gguf-header-reader.ts';
import type { EngineError } from '../../engine/worker/worker-protocol.ts';

/**
 * Checks a model file before the engine loads it, because the engine only says that loading failed. Null: it can be
 * loaded.
 */
export type ModelFileCheck = (path: string) => Promise<EngineError | null>;

export function createModelFileCheck(readHeader: ReadHeader): ModelFileCheck {
  return async (path) => {
    const header = await readHeader(path);
    if (header.ok) return null;
    const { code, message, hint } = header.error;
    return {
      code: code === 'not-found' ? 'missing-model' : 'bad-model',
      message: hint === undefined ? message : `${message} ${hint}`,
    };
  };
}
