import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A part of the workspace that is mounted by itself, so that it cannot be renamed away, and how. */
export interface Pin {
  /** Relative to the workspace. */
  readonly path: string;
  readonly readOnly: boolean;
}

/**
 * `.git` as a mount of its own, its configuration and hooks read-only: git on the host runs what stands in there, and
 * a folder that is not a mount could be renamed and rebuilt. Makes `.git/hooks` where it is missing, because a mount
 * needs its place and the engine would make it as root. A `.git` file (a worktree) becomes read-only; a link is left
 * alone and reported.
 */
export async function findPins(workspacePath: string): Promise<{ pins: readonly Pin[]; warnings: readonly string[] }> {
  const kind = await kindOf(join(workspacePath, '.git'));
  if (kind === 'file') {
    return {
      pins: [{ path: '.git', readOnly: true }],
      warnings: ['.git points to a folder elsewhere: git does not work in the sandbox.'],
    };
  }
  if (kind === 'other') return { pins: [], warnings: ['.git is a link and is not protected in the sandbox.'] };
  if (kind === 'absent' || (await kindOf(join(workspacePath, '.git', 'config'))) !== 'file')
    return { pins: [], warnings: [] };
  const hooks = join(workspacePath, '.git', 'hooks');
  if ((await kindOf(hooks)) === 'absent') await mkdir(hooks).catch(() => undefined);
  const hasHooks = (await kindOf(hooks)) === 'folder';
  return {
    pins: [
      { path: '.git', readOnly: false },
      { path: '.git/config', readOnly: true },
      ...(hasHooks ? [{ path: '.git/hooks', readOnly: true }] : []),
    ],
    warnings: hasHooks ? [] : ['.git/hooks is no folder and is not protected in the sandbox.'],
  };
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | 'absent'> {
  try {
    const found = await lstat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'absent';
  }
}
