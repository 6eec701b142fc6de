/**
 * Entries are {name, children?}: a folder has children (perhaps none), a file
 * does not.
 */
export const isFolder = (entry) => Array.isArray(entry.children);

/** Returns the entries in the order in which they are shown: folders, then files. */
export function sortEntries(entries) {
  return [...entries].sort(
    (a, b) => Number(isFolder(b)) - Number(isFolder(a)) || a.name.localeCompare(b.name, 'en'),
  );
}
