import { seenName } from '@shared/text/seen-text.ts';

/**
 * Paths in a workspace as one text, with `/`, also where a name is no text: such a name stands as a NUL and its bytes,
 * one character each. No name holds a NUL, so that nothing can be mistaken for one.
 */
export function keyOf(name: string | Buffer): string {
  if (typeof name === 'string') return name;
  const text = name.toString();
  return Buffer.from(text).equals(name) ? text : `\0${name.toString('latin1')}`;
}

/** As the file system wants it. */
export function hostNameOf(key: string): string | Buffer {
  return key.startsWith('\0') ? Buffer.from(key.slice(1), 'latin1') : key;
}

export function namesOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** For people: on one line, with U+FFFD in place of bytes that are no text. */
export function shownPath(path: string): string {
  return seenName(
    namesOf(path)
      .map((name) => hostNameOf(name).toString())
      .join('/'),
  );
}

/** Below a folder on the host; bytes where a name is no text. */
export function absolutePath(root: string, path: string): string | Buffer {
  if (path === '') return root;
  if (!path.includes('\0')) return `${root}/${path}`;
  const parts = namesOf(path).flatMap((name) => [Buffer.from('/'), Buffer.from(hostNameOf(name))]);
  return Buffer.concat([Buffer.from(root), ...parts]);
}
