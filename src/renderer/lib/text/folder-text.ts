/** The root's id before the rest of a folder's name, on a page that may not know paths. */
const rootId = /^~[0-9a-f]{16}\//u;

/** A folder as users read and type it. */
export function folderText(path: string): string {
  return path.replace(rootId, '');
}

/**
 * The folder that the user typed. With `roots`, it is relative to one of them; the first one if the text names none.
 */
export function typedFolder(text: string, roots: readonly string[]): string {
  const typed = text.trim();
  const [first = ''] = roots;
  if (typed === '' || first === '' || rootId.test(typed) || typed.startsWith('/')) return typed;
  const root = roots.find((one) => typed === folderText(one) || typed.startsWith(`${folderText(one)}/`));
  return root === undefined ? `${first}/${typed}` : root + typed.slice(folderText(root).length);
}
