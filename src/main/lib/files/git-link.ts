import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openFolderBelow, readFileBelow } from './host-folder.ts';
import { isWithin } from './is-within.ts';

/** The location of the data of a worktree or a submodule. */
export interface GitLink {
  /** Real paths of folders outside of the workspace that git must read. */
  readonly folders: readonly string[];
  /** The real path of what is this checkout's own, such as HEAD and the index. */
  readonly own: string;
}

const maxBytes = 16 * 1024;

/**
 * Resolves a `.git` file. Null if it leads nowhere, into the workspace itself, or to a folder that does not point
 * back. Anybody can write such a file, and it must not bring any folder of their choice into the container.
 */
export async function resolveGitLink(workspacePath: string): Promise<GitLink | null> {
  const text = await readText(workspacePath, '.git');
  const target = /^gitdir:[ \t]*(\S.*)$/m.exec(text ?? '')?.[1]?.trim();
  if (target === undefined) return null;
  // A broken link leads to no repository.
  const data = await realpath(resolve(workspacePath, target)).catch(() => null);
  if (data === null || isWithin(data, workspacePath)) return null;
  const common = await commonOf(data);
  if (common !== null) {
    // A worktree: git keeps the path of its `.git` file beside its data.
    const back = (await readText(data, 'gitdir'))?.trim();
    if (back === undefined || !(await isSame(resolve(data, back), join(workspacePath, '.git')))) return null;
    return dirname(dirname(data)) === common && (await isGitFolder(common)) ? { folders: [common], own: data } : null;
  }
  // A submodule: its configuration names the folder that it belongs to.
  const worktree = /^[ \t]*worktree\s*=\s*(\S.*)$/im.exec((await readText(data, 'config')) ?? '')?.[1]?.trim();
  if (worktree === undefined || !(await isSame(resolve(data, worktree), workspacePath))) return null;
  return (await isGitFolder(data)) ? { folders: [data], own: data } : null;
}

async function commonOf(data: string): Promise<string | null> {
  const text = (await readText(data, 'commondir'))?.trim();
  if (text === undefined || text === '') return null;
  // A broken link leads to no repository.
  return realpath(resolve(data, text)).catch(() => null);
}

async function isGitFolder(path: string): Promise<boolean> {
  for (const name of ['objects', 'refs']) {
    const found = await openFolderBelow(path, [name]);
    if (found === null) return false;
    await found.close();
  }
  return (await readText(path, 'HEAD')) !== null;
}

async function isSame(left: string, right: string): Promise<boolean> {
  // A path that cannot be resolved equals no other.
  const [one, other] = await Promise.all([left, right].map((path) => realpath(path).catch(() => null)));
  return one !== null && one === other;
}

async function readText(folderPath: string, name: string): Promise<string | null> {
  return (await readFileBelow(folderPath, [name], maxBytes))?.toString() ?? null;
}
