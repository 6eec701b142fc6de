import { readFileBelow } from '../lib/files/host-folder.ts';

const maxLogBytes = 16 * 1024 * 1024;

/**
 * Where the files of a project came from, according to git's log of its HEAD on this machine: the address that it was
 * cloned from, or that something was pulled. Null: the log mentions neither, or there is no such log. Starts no program
 * and follows no link.
 */
export async function projectOrigin(folder: string): Promise<string | null> {
  const text = (await readFileBelow(folder, ['.git', 'logs', 'HEAD'], maxLogBytes))?.toString() ?? '';
  const cloned = /\tclone: from (.+)$/m.exec(text)?.[1];
  if (cloned !== undefined) return withoutPassword(cloned.trim());
  return /\tpull\b/.test(text) ? 'another repository' : null;
}

function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1').slice(0, 200);
}
