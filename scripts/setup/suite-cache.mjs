import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folders of the cache that a need fills, beside the models, which are linked one by one. */
const foldersOf = { image: ['images'], 'card-library': ['engines'] };
const prefix = 'test-run-';

/**
 * Makes a cache that holds what a suite's needs name, and nothing else. A test that leans on anything more fails on
 * every machine, not only on those whose cache is empty. Files are hard links: they take no room and no time.
 * @param {readonly string[]} needs
 * @param {{cache: string, name: string}} from the whole cache, and the name of the new folder inside it
 * @returns {string} its path
 */
export function makeSuiteCache(needs, { cache, name }) {
  const folder = join(cache, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'models'), { recursive: true });
  for (const need of needs) {
    if (need.startsWith('model:')) link(join(cache, 'models'), join(folder, 'models'), `${basename(need)}.gguf`);
    for (const part of foldersOf[/** @type {keyof typeof foldersOf} */ (need)] ?? []) linkTree(cache, folder, part);
  }
  return folder;
}

/** The name for the caches of this process. */
export const suiteCacheName = (/** @type {string} */ suite) => `${prefix}${process.pid}-${suite}`;

/** Removes what a killed run left behind. @param {string} cache */
export function removeOldSuiteCaches(cache) {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const pid = Number(/^test-run-(\d+)-/u.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

/** @param {string} from @param {string} to @param {string} name */
function linkTree(from, to, name) {
  if (!existsSync(join(from, name))) return;
  mkdirSync(join(to, name), { recursive: true });
  for (const entry of readdirSync(join(from, name), { withFileTypes: true })) {
    if (entry.isDirectory()) linkTree(join(from, name), join(to, name), entry.name);
    else link(join(from, name), join(to, name), entry.name);
  }
}

/** @param {string} from @param {string} to @param {string} name */
function link(from, to, name) {
  if (!existsSync(join(from, name))) return;
  try {
    linkSync(join(from, name), join(to, name));
  } catch {
    // A disk without hard links.
    cpSync(join(from, name), join(to, name));
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
