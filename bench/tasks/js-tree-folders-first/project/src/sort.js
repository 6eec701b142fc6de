/**
 * Entries are {name, children?}: a folder has children (perhaps none), a file
 * does not.
 */
export const isFolder = (entry) => Array.isArray(entry.children);

/** Returns the entries in the order in which they are shown. */
export function sortEntries(entries) {
  return [...entries].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
