import { mkdir, readdir } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import { joined } from '../../workspace/repositories/folder-names.ts';
import { addressFolders, redirects } from '../../workspace/repositories/git-data.ts';
import { kindAt, namedByConfig, type PlaceKind } from '../../workspace/repositories/named-by-config.ts';
import { resolveGitLink } from './git-link.ts';

/** A part of the workspace that is mounted by itself, so that it cannot be renamed away, and how. */
export interface ProtectedMount {
  /** Relative to the workspace. */
  readonly path: string;
  readonly readOnly: boolean;
}

export interface Protection {
  /** Folders before what lies in them. */
  readonly mounts: readonly ProtectedMount[];
  /** Folders elsewhere on the host that are read at their own path: the data of a worktree or a submodule. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
}

/** What a person has in a project, before any command ran; paths relative to it. */
export interface OwnRepositories {
  /** Folders with the data of a repository: `.git`, `.git/modules/x`, `bare.git`; empty text for the project itself. */
  readonly data: readonly string[];
  /** `.git` files, which point to such a folder. */
  readonly pointers: readonly string[];
}

/** At the top of a project: what an editor, a shell, git or another agent on the host runs by itself. */
const runsByItself = [
  '.vscode',
  '.idea',
  '.envrc',
  '.mcp.json',
  '.husky',
  '.githooks',
  '.exrc',
  '.nvimrc',
  '.dir-locals.el',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.continue',
  '.windsurf',
  '.roo',
  '.aider.conf.yml',
];

/** More mounts than this slow every start down. */
export const maxProtectedMounts = 256;
const systemFolders = /^\/(proc|sys|dev|etc|usr|bin|sbin|lib\w*|boot|run)(\/|$)/;

/**
 * What of a project must not be changed by a command, because something on the host runs it later without being asked:
 * git's configuration and hooks (of the project, its submodules and repositories within it), what that configuration names
 * in the project, editors' and agents' folders. `.git` and every folder on the way to a pin are mounts of their own: else
 * they could be renamed and rebuilt. Makes `hooks` folders where they are missing, because a mount needs its place and the
 * engine would make it as root. A worktree's or submodule's data elsewhere are given to read, at their own path. Throws
 * `refused` where there is more to hold than can be.
 */
export async function findProtectedMounts(workspacePath: string, own: OwnRepositories): Promise<Protection> {
  const pins = new Map<string, boolean>();
  const warnings: string[] = [];
  const outside: string[] = [];
  const top = kindAt(workspacePath, '.git');
  if (top === 'other') warnings.push('.git is a link and is not protected in the sandbox.');
  for (const folder of own.data) await pinRepository({ workspacePath, pins, warnings }, folder);
  for (const file of own.pointers) if (kindAt(workspacePath, file) === 'file') pinOnTheWay(pins, file, true);
  if (top === 'file') {
    const link = await resolveGitLink(workspacePath);
    const folders = (link?.folders ?? []).filter((path) => !systemFolders.test(path));
    outside.push(...folders);
    warnings.push(
      folders.length > 0
        ? '.git points to a folder elsewhere: git can read in the sandbox, but not commit.'
        : '.git points to a folder elsewhere that does not point back: git does not work in the sandbox.',
    );
  }
  for (const path of runsByItself) {
    const kind = kindAt(workspacePath, path);
    if (kind === 'file' || kind === 'folder') pins.set(path, true);
    if (kind === 'other') warnings.push(`${path} is a link and is not protected in the sandbox.`);
  }
  if (pins.size > maxProtectedMounts) {
    throw new AppError(
      'refused',
      `This project has ${pins.size} places to protect from commands, with ${own.data.length} git repositories. The limit is ${maxProtectedMounts}.`,
      { hint: 'Open one of the repositories as the project, or move away those you do not need.' },
    );
  }
  return { mounts: [...pins].map(([path, readOnly]) => ({ path, readOnly })).sort(byDepth), outside, warnings };
}

interface Pinning {
  readonly workspacePath: string;
  readonly pins: Map<string, boolean>;
  readonly warnings: string[];
}

async function pinRepository({ workspacePath, pins, warnings }: Pinning, folder: string): Promise<void> {
  const kind = (name: string): PlaceKind => kindAt(workspacePath, joined(folder, name));
  if (folder !== '') pinOnTheWay(pins, folder, false);
  for (const name of ['config', ...redirects]) {
    if (kind(name) === 'file') pinOnTheWay(pins, joined(folder, name), true);
  }
  for (const name of addressFolders) {
    // Most repositories lack some of these folders.
    const names = await readdir(`${workspacePath}/${joined(folder, name)}`).catch(() => []);
    if (names.length > 0) pins.set(joined(folder, name), true);
  }
  // Without a configuration of its own it is the data of a worktree: its hooks are those of the repository it belongs to.
  if (kind('config') !== 'file') return;
  if (kind('hooks') === 'absent') await mkdir(`${workspacePath}/${joined(folder, 'hooks')}`).catch(() => undefined);
  if (kind('hooks') === 'folder') pins.set(joined(folder, 'hooks'), true);
  else warnings.push(`${joined(folder, 'hooks')} is not a folder, and is not protected in the sandbox.`);
  for (const { path, isPinned } of await namedByConfig(workspacePath, folder)) {
    if (isPinned && kindAt(workspacePath, path) !== 'absent') pinOnTheWay(pins, path, true);
  }
}

// A folder on the way becomes a mount as well: one that is none could be renamed with the mounts in it.
function pinOnTheWay(pins: Map<string, boolean>, path: string, readOnly: boolean): void {
  const parts = path.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join('/');
    if (!pins.has(above)) pins.set(above, false);
  }
  pins.set(path, readOnly || pins.get(path) === true);
}

function byDepth(left: ProtectedMount, right: ProtectedMount): number {
  const depth = (pin: ProtectedMount): number => pin.path.split('/').length;
  return depth(left) - depth(right) || (left.path < right.path ? -1 : 1);
}
