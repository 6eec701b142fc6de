import { failure, success, type Reply } from '@shared/errors.ts';

const maxPathBytes = 4096;

/**
 * Normalizes a path from a model or a tool: relative to the workspace, with `/`, without `.` and empty parts; `.` is
 * the workspace itself. It only catches honest mistakes. The sandbox itself checks where links lead.
 */
export function workspaceRelative(path: string, workspacePath: string): Reply<string> {
  if (path.includes('\0')) return failure('bad-input', 'A path cannot hold a NUL character.');
  if (Buffer.byteLength(path) > maxPathBytes) return failure('bad-input', 'The path is too long.');
  if (Buffer.from(path).toString() !== path) return failure('bad-input', 'The path is not valid text.');
  const inside =
    path === workspacePath ? '' : path.startsWith(`${workspacePath}/`) ? path.slice(workspacePath.length + 1) : path;
  if (inside.startsWith('/')) {
    return failure('refused', `${path} lies outside the workspace.`, 'Use a path relative to the workspace.');
  }
  const parts: string[] = [];
  for (const part of inside.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) {
      return failure('refused', `${path} leads out of the workspace.`, 'Use a path relative to the workspace.');
    }
  }
  return success(parts.length === 0 ? '.' : parts.join('/'));
}
