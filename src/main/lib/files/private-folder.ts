import { chmod, lstat } from 'node:fs/promises';
import { isMissing } from './json-file.ts';

/**
 * Who can get at what lies in a folder. `ours`: this user alone; `open`: it is this user's, and others can as well;
 * `foreign`: it is another user's. `none`: no folder is there; a link to one is none.
 */
export type Privacy = 'ours' | 'open' | 'foreign' | 'none';

/** Windows has no such rights, and keeps a person's folders by lists of its own: there every folder is ours. */
export async function privacyOf(path: string): Promise<Privacy> {
  const found = await lstat(path).catch(nullIfMissing);
  if (found === null || !found.isDirectory()) return 'none';
  const user = userId();
  if (user === null) return 'ours';
  if (found.uid !== user) return 'foreign';
  return (found.mode & 0o077) === 0 ? 'ours' : 'open';
}

/** Takes the rights of others away. Some file systems keep none: it is what it is then. */
export async function makePrivate(path: string): Promise<Privacy> {
  const before = await privacyOf(path);
  if (before !== 'open') return before;
  await chmod(path, 0o700).catch(() => undefined);
  return privacyOf(path);
}

/** Whether nobody but this user and root can take away or replace what this user makes in a folder. */
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
