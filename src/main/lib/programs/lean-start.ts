import { readdir, rm, stat } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const folderIn = (cache: string): string => join(cache, 'compiled');

/**
 * For calls on files. One that waits for a drive of another machine that is silent holds its thread, and all files of this
 * machine need threads, too.
 */
const threads = '16';

/** Call it before anything large is loaded. Code that was compiled once is read from the cache after that. */
export function startLean(cache: string, version: string): void {
  process.env.UV_THREADPOOL_SIZE ??= threads;
  // Tells by its result if it cannot, for example without a place to write. Then everything is compiled as usual. The
  // shell that tests borrow has an older Node without it.
  module.enableCompileCache?.(join(folderIn(cache), version));
}

const unusedMs = 7 * 24 * 60 * 60_000;

/** Call it once, when everything is loaded and nothing runs. Keeps the compiled code for the next start. */
export async function endLeanStart(cache: string, version: string): Promise<void> {
  giveBackMemory();
  module.flushCompileCache?.();
  const folder = folderIn(cache);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another build may run from its own.
    if (name !== version && (await stat(path)).mtimeMs < Date.now() - unusedMs) await rm(path, { recursive: true });
  }
}

/** Loading makes much garbage once. V8 keeps the room for it until something asks for a thorough collection. */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
