import { chmod, lstat } from 'node:fs/promises';
import { isMissing } from './json-file.ts';
import { orNoted } from '../log.ts';

/**
 * Who can access the contents of a folder. `ours`: only this user; `open`: this user owns it, and others can access it;
 * `foreign`: another user owns it; `none`: there is no folder, or only a link to one.
 */
export type Privacy = 'ours' | 'open' | 'foreign' | 'none';

/**
 * Windows has no such permissions and protects users' folders by lists of its own, so every folder there counts as
 * `ours`.
 */
export async function privacyOf(path: string): Promise<Privacy> {
  const found = await lstat(path).catch(nullIfMissing);
  if (found === null || !found.isDirectory()) return 'none';
  const user = userId();
  if (user === null) return 'ours';
  if (found.uid !== user) return 'foreign';
  return (found.mode & 0o077) === 0 ? 'ours' : 'open';
}

/** Removes the permissions of others. Some file systems store none; then nothing changes. */
export async function makePrivate(path: string): Promise<Privacy> {
  const before = await privacyOf(path);
  if (before !== 'open') return before;
  await chmod(path, 0o700).catch(orNoted('A folder stays readable to others', undefined));
  return privacyOf(path);
}

/** Whether only this user and root can remove or replace what this user creates in a folder. */
export async function keepsWhatIsOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(nullIfMissing);
  if (found === null || !found.isDirectory()) return false;
  const isSticky = (found.mode & 0o1000) !== 0;
  const isOfSystem = found.uid === 0 || found.uid === userId();
  return isOfSystem && (isSticky || (found.mode & 0o022) === 0);
}

function userId(): number | null {
  return process.platform !== 'win32' && typeof process.getuid === 'function' ? process.getuid() : null;
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
