/** Of a name that stands for a folder where the page may not know paths: which root it is, before the way. */
const rootId = /^~[0-9a-f]{16}\//u;

/** A folder as people read and type it. */
export function folderText(path: string): string {
  return path.replace(rootId, '');
}

/** The folder that somebody typed: with `roots` its way from one of them, the first where it begins with none. */
export function typedFolder(text: string, roots: readonly string[]): string {
  const typed = text.trim();
  const [first = ''] = roots;
  if (typed === '' || first === '' || rootId.test(typed) || typed.startsWith('/')) return typed;
  const root = roots.find((one) => typed === folderText(one) || typed.startsWith(`${folderText(one)}/`));
  return root === undefined ? `${first}/${typed}` : root + typed.slice(folderText(root).length);
}
