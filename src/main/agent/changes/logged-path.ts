import { posix } from 'node:path';

/** A path as the log and the guards know it: relative to the workspace, `/`, no `./`. The sandbox judges whether it leads out. */
export function workspacePath(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const normal = posix.normalize(inside.replaceAll('\\', '/'));
  return normal.startsWith('./') ? normal.slice(2) : normal;
}
