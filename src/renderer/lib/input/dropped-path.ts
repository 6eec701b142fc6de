/** The path of the first dropped file or folder; null in a browser, which does not reveal paths. */
export function pathOfDropped(files: FileList): string | null {
  const [file] = files;
  return file === undefined ? null : pathOfFile(file);
}

/** The path of a file that the user gave; null in a browser, and for pasted content. */
export function pathOfFile(file: File): string | null {
  const pathOf: unknown = Reflect.get(Object(Reflect.get(window, 'dewpoint')), 'pathOf');
  if (typeof pathOf !== 'function') return null;
  const path: unknown = pathOf(file);
  return typeof path === 'string' && path !== '' ? path : null;
}
