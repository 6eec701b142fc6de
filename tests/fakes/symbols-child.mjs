// The process of `src/main/symbols/process`, from its sources. Node reads TypeScript itself, and only needs texts as
// modules.
import './compiled-code.mjs';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

registerHooks({
  load: (url, context, next) => {
    if (!url.endsWith('?raw')) return next(url, context);
    const text = readFileSync(fileURLToPath(url.slice(0, -'?raw'.length)), 'utf8');
    return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
  },
});
await import(pathToFileURL(resolve(import.meta.dirname, '../../src/main/symbols/process/symbols-process.ts')).href);
