import type { Stats } from 'node:fs';

/** What is at a path. A link is not followed. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other';

/** Takes an entry of a folder, or what `lstat` answers. */
export function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
