// Stamps: small files that record the inputs with which a slow step was last done.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} file @returns {string} the key, empty where there is no stamp */
export function readStamp(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} file @param {string} key */
export function writeStamp(file, key) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, key);
}

/** @param {string} text @returns {string} */
export function keyOfText(text) {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Returns a key of files by name, size and time of change. It does not read their contents, because it runs at every
 * start.
 * @param {string} base
 * @param {readonly string[]} entries files and folders under `base`; a missing one changes the key, too
 * @returns {string}
 */
export function keyOfFiles(base, entries) {
  const hash = createHash('sha256');
  for (const entry of entries) addEntry(hash, base, entry);
  return hash.digest('hex');
}

/** @param {import('node:crypto').Hash} hash @param {string} base @param {string} entry */
function addEntry(hash, base, entry) {
  const path = join(base, entry);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    for (const name of readdirSync(path).sort()) addEntry(hash, path, name);
  }
  hash.update(`${path}\0${stat?.isFile() ? `${stat.size}\0${stat.mtimeMs}` : typeof stat}\n`);
}

/**
 * Whether an installed tree matches the lock file: every package that is not optional is there in the locked version.
 * This avoids a second installation after a user's own `npm install`.
 * @param {{packages?: Record<string, {version?: string, optional?: boolean, devOptional?: boolean, link?: boolean}>}} lock
 * @param {{packages?: Record<string, {version?: string}>}} installed npm's own `node_modules/.package-lock.json`
 * @returns {boolean}
 */
export function isInstalledAsLocked(lock, installed) {
  const there = installed.packages ?? {};
  return Object.entries(lock.packages ?? {}).every(([path, wanted]) => {
    if (path === '') return true;
    const found = there[path];
    if (!found) return wanted.optional === true || wanted.devOptional === true;
    return found.version === wanted.version;
  });
}
