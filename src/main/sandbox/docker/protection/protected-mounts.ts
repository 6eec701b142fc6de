import { mkdir, readdir } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import { childPath } from '../../workspace/repositories/folder-names.ts';
import { addressFolders, redirects } from '../../workspace/repositories/git-data.ts';
import { kindAt, namedByConfig, type PlaceKind } from '../../workspace/repositories/named-by-config.ts';
import { resolveGitLink } from '../../../lib/files/git-link.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';

/** A part of the workspace with its own mount, so that it cannot be renamed away. */
export interface ProtectedMount {
  /** Relative to the workspace. */
  readonly path: string;
  readonly readOnly: boolean;
}

export interface Protection {
  /** Folders come before their contents. */
  readonly mounts: readonly ProtectedMount[];
  /** Folders elsewhere on the host, readable at their own path: the data of a worktree or a submodule. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
}

/** The repositories in a project before any command ran. Paths are relative to it. */
export interface OwnRepositories {
  /**
   * Folders with the data of a repository: `.git`, `.git/modules/x`, `bare.git`. Empty text means the project
   * itself.
   */
  readonly data: readonly string[];
  /** `.git` files, which point to such a folder. */
  readonly pointers: readonly string[];
}

/**
 * Names at the top of a project that an editor, a shell, git or another agent on the host runs without being asked.
 */
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

/** More mounts than this would slow down every start. */
export const maxProtectedMounts = 256;
/** The same for all mounts in a project: what is protected, what is hidden, and the folders on the way. */
const maxMounts = 600;
const systemFolders = /^\/(proc|sys|dev|etc|usr|bin|sbin|lib\w*|boot|run)(\/|$)/;

/**
 * Finds the parts of a project that commands must not change, because something on the host runs them later without
 * being asked: git's configuration and hooks (of the project, its submodules and repositories within it), what that
 * configuration names in the project, and the folders of editors and agents. `.git` and every folder on the way to a
 * pin have their own mounts, because they could be renamed and rebuilt otherwise. Creates missing `hooks` folders,
 * because the engine would create the mount's target as root. The data of a worktree or submodule elsewhere is
 * readable at its own path. Rejects with `refused` if there is more to protect than possible,
 * and with `timeout` if the drive is silent.
 */
export async function findProtectedMounts(workspacePath: string, own: OwnRepositories): Promise<Protection> {
  return askDrive(workspacePath, () => findOnDrive(workspacePath, own));
}

async function findOnDrive(workspacePath: string, own: OwnRepositories): Promise<Protection> {
  const pins = new Map<string, boolean>();
  const warnings: string[] = [];
  const outside: string[] = [];
  const top = await kindAt(workspacePath, '.git');
  if (top === 'other') warnings.push('.git is a link and is not protected in the sandbox.');
  for (const folder of own.data) await pinRepository({ workspacePath, pins, warnings }, folder);
  for (const file of own.pointers) {
    if ((await kindAt(workspacePath, file)) === 'file') pinOnTheWay(pins, file, true);
  }
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
    const kind = await kindAt(workspacePath, path);
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
  return { mounts: mountsOf(pins), outside, warnings };
}

/**
 * Adds the folders on the way to what is hidden. They could be renamed otherwise, and the next container would not find
 * by its name what they contain. Throws `refused` if there are more mounts than possible.
 */
export function pinWayTo(
  masks: readonly { readonly path: string }[],
  mounts: readonly ProtectedMount[],
): readonly ProtectedMount[] {
  const pins = new Map(mounts.map(({ path, readOnly }) => [path, readOnly]));
  for (const { path } of masks) pinFoldersAbove(pins, path);
  const all = mountsOf(pins);
  if (all.length + masks.length > maxMounts) {
    throw new AppError(
      'refused',
      `There is too much to hide in this project: ${masks.length} files and folders, in ${pins.size - mounts.length} other folders. The limit is ${maxMounts}.`,
      { hint: 'Mask a folder with many of them in your rules, or work on a smaller folder.' },
    );
  }
  return all;
}

/** In order of depth. Inside a folder that cannot be written, a mount would only make it writable again. */
function mountsOf(pins: ReadonlyMap<string, boolean>): readonly ProtectedMount[] {
  const isFixed = (path: string): boolean => foldersAbove(path).some((above) => pins.get(above) === true);
  return [...pins].flatMap(([path, readOnly]) => (isFixed(path) ? [] : [{ path, readOnly }])).sort(byDepth);
}

interface Pinning {
  readonly workspacePath: string;
  readonly pins: Map<string, boolean>;
  readonly warnings: string[];
}

async function pinRepository({ workspacePath, pins, warnings }: Pinning, folder: string): Promise<void> {
  const kind = (name: string): Promise<PlaceKind> => kindAt(workspacePath, childPath(folder, name));
  if (folder !== '') pinOnTheWay(pins, folder, false);
  for (const name of ['config', ...redirects]) {
    if ((await kind(name)) === 'file') pinOnTheWay(pins, childPath(folder, name), true);
  }
  for (const name of addressFolders) {
    // Most repositories lack some of these folders.
    const names = await readdir(`${workspacePath}/${childPath(folder, name)}`).catch(() => []);
    if (names.length > 0) pins.set(childPath(folder, name), true);
  }
  // Without a configuration, this is the data of a worktree, which uses the hooks of its main repository.
  if ((await kind('config')) !== 'file') return;
  if ((await kind('hooks')) === 'absent') {
    await mkdir(`${workspacePath}/${childPath(folder, 'hooks')}`).catch(() => undefined);
  }
  if ((await kind('hooks')) === 'folder') pins.set(childPath(folder, 'hooks'), true);
  else warnings.push(`${childPath(folder, 'hooks')} is not a folder, and is not protected in the sandbox.`);
  for (const { path, isPinned } of await namedByConfig(workspacePath, folder)) {
    if (isPinned && (await kindAt(workspacePath, path)) !== 'absent') pinOnTheWay(pins, path, true);
  }
}

// A folder on the way needs a mount, too. Otherwise it could be renamed together with the mounts in it.
function pinOnTheWay(pins: Map<string, boolean>, path: string, readOnly: boolean): void {
  pinFoldersAbove(pins, path);
  pins.set(path, readOnly || pins.get(path) === true);
}

function pinFoldersAbove(pins: Map<string, boolean>, path: string): void {
  for (const above of foldersAbove(path)) if (!pins.has(above)) pins.set(above, false);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

function byDepth(left: ProtectedMount, right: ProtectedMount): number {
  const depth = (pin: ProtectedMount): number => pin.path.split('/').length;
  return depth(left) - depth(right) || (left.path < right.path ? -1 : 1);
}
