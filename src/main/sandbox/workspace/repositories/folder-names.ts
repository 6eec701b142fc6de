import { seenName } from '@shared/text/seen-text.ts';

/**
 * Represents paths in a workspace as text, with `/`, even if a name is not valid text. Such a name becomes a NUL and
 * its bytes, one character each. File names cannot contain a NUL, so this is never ambiguous.
 */
export function keyOf(name: string | Buffer): string {
  if (typeof name === 'string') return name;
  const text = name.toString();
  return Buffer.from(text).equals(name) ? text : `\0${name.toString('latin1')}`;
}

/** The name in the form that the file system needs. */
export function hostNameOf(key: string): string | Buffer {
  return key.startsWith('\0') ? Buffer.from(key.slice(1), 'latin1') : key;
}

export function namesOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

export function childPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The path for users: on one line, with U+FFFD for bytes that are not text. */
export function shownPath(path: string): string {
  return seenName(
    namesOf(path)
      .map((name) => hostNameOf(name).toString())
      .join('/'),
  );
}

/** The path below a folder on the host. It is bytes if a name is not text. */
export function absolutePath(root: string, path: string): string | Buffer {
  if (path === '') return root;
  if (!path.includes('\0')) return `${root}/${path}`;
  const parts = namesOf(path).flatMap((name) => [Buffer.from('/'), Buffer.from(hostNameOf(name))]);
  return Buffer.concat([Buffer.from(root), ...parts]);
}
