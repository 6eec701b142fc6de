import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, parse } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { writeFileAtomic } from '../../lib/files/json-file.ts';
import type { AliasedFolder, PathAliases } from './path-aliases.ts';
import { createPathAliases } from './path-aliases.ts';
import { orNoted } from '../../lib/log.ts';

const keyBytes = 32;
/** Next to the command line in the build. */
const programFolder = join(import.meta.dirname, '../..');

/**
 * Names for the roots, and for other folders that Dewpoint may mention. The key is in the home, so that what a browser
 * stored about a project is still valid after a restart. Rejects if a root is not a folder, or is the whole disk.
 */
export async function createFolderAliases(
  folders: readonly string[],
  { home, cache }: { readonly home: string; readonly cache: string },
): Promise<{ readonly names: PathAliases; readonly roots: readonly AliasedFolder[] }> {
  const roots = await Promise.all(folders.map(rootAt));
  const others = [
    { path: home, label: 'dewpoint-home' },
    { path: cache, label: 'dewpoint-cache' },
    { path: programFolder, label: 'dewpoint' },
    { path: homedir(), label: 'home' },
    // A folder that does not exist yet has only one path.
  ].map(async ({ path, label }) => ({ paths: await pathsOf(path).catch(() => [path]), label }));
  const key = await keyOf(join(home, 'path-aliases.key'));
  return { names: createPathAliases(key, [...roots, ...(await Promise.all(others))]), roots };
}

async function rootAt(path: string): Promise<AliasedFolder> {
  // It cannot be served, whatever the reason.
  const paths = await pathsOf(path).catch(() => null);
  if (paths === null) {
    throw new AppError('not-found', `The folder ${path} was not found.`, { hint: 'Name the folder of your projects.' });
  }
  const [real = path] = paths;
  if (real === parse(real).root) {
    throw new AppError('bad-input', 'The whole disk cannot be served.', {
      hint: 'Name the folder of your projects.',
    });
  }
  return { paths, label: basename(real) };
}

/** The real path comes first. */
async function pathsOf(path: string): Promise<readonly string[]> {
  return [await realpath(path), path];
}

async function keyOf(file: string): Promise<Uint8Array> {
  // There is no key before the first start. A lost key is replaced, which only changes the names.
  const kept = await readFile(file).catch(orNoted('web: the key of folder names was not read', null));
  if (kept !== null && kept.length === keyBytes) return kept;
  const key = randomBytes(keyBytes);
  await writeFileAtomic(file, key, { mode: 0o600 });
  return key;
}
