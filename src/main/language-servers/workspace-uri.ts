import { posix } from 'node:path';

/** The address of a file of the workspace, as a server in the sandbox knows it. */
export function uriOf(root: string, path: string): string {
  const whole = path === '' ? root : `${root}/${path}`;
  return `file://${whole.split('/').map(encodeURIComponent).join('/')}`;
}

const longestUri = 4_096;

/** The path in the workspace that an address from a server means. Null: it leads out, or is no file. */
export function pathOf(root: string, uri: unknown): string | null {
  if (typeof uri !== 'string' || uri.length > longestUri || !uri.startsWith('file:///')) return null;
  let path: string;
  try {
    path = decodeURIComponent(uri.slice('file://'.length));
  } catch {
    // Not an encoded text.
    return null;
  }
  // oxlint-disable-next-line no-control-regex -- no name of a file that a model is shown has one
  if (/[\u0000-\u001f]/u.test(path) || path !== posix.normalize(path) || !path.startsWith(`${root}/`)) return null;
  return path.slice(root.length + 1);
}
