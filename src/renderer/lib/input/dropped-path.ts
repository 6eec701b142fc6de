/** The path of the first of dropped files or folders; null where the page is in a browser, which tells nobody. */
export function pathOfDropped(files: FileList): string | null {
  const [file] = files;
  return file === undefined ? null : pathOfFile(file);
}

/** Where a file that a person gave lies; null in a browser, and for what was pasted. */
export function pathOfFile(file: File): string | null {
  const pathOf: unknown = Reflect.get(Object(Reflect.get(window, 'dewpoint')), 'pathOf');
  if (typeof pathOf !== 'function') return null;
  const path: unknown = pathOf(file);
  return typeof path === 'string' && path !== '' ? path : null;
}
