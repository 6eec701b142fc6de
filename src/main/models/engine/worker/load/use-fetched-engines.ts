import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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
