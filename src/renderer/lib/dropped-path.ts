/** The path of the first of dropped files or folders; null where the page is in a browser, which tells nobody. */
export function pathOfDropped(files: FileList): string | null {
  const [file] = files;
  const pathOf: unknown = Reflect.get(Object(Reflect.get(window, 'dewpoint')), 'pathOf');
  if (file === undefined || typeof pathOf !== 'function') return null;
  const path: unknown = pathOf(file);
  return typeof path === 'string' && path !== '' ? path : null;
}
