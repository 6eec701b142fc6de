import type { Stats } from 'node:fs';

/** What lies at a path; a link is not followed. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other';

/** Of an entry of a folder, or of what `lstat` says. */
export function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
