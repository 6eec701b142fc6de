// Stamps: small files that say for which inputs a slow step was done last.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} file @returns {string} empty where there is no stamp */
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
 * A key of files by name, size and time of change. Contents are not read: this runs at every start.
 * @param {string} base
 * @param {readonly string[]} entries files and folders under `base`; one that is missing counts as such
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
 * Whether an installed tree is the one a lock file asks for: every package that is not optional is
 * there in the locked version. So a tree that a person installed is not installed again.
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
