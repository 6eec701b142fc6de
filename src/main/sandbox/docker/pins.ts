import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { openFolderBelow, readRegularFile } from '../../lib/host-folder.ts';
import type { WorkspaceScan } from '../workspace-scan.ts';
import { resolveGitLink } from './git-link.ts';

/** A part of the workspace that is mounted by itself, so that it cannot be renamed away, and how. */
export interface Pin {
  /** Relative to the workspace. */
  readonly path: string;
  readonly readOnly: boolean;
}

export interface Protection {
  /** Folders before what lies in them. */
  readonly pins: readonly Pin[];
  /** Folders elsewhere on the host that are read at their own path: the data of a worktree or a submodule. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
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
const maxPins = 96;
const maxConfigBytes = 256 * 1024;
const systemFolders = /^\/(proc|sys|dev|etc|usr|bin|sbin|lib\w*|boot|run)(\/|$)/;

/**
 * What of a project must not be changed by a command, because something on the host runs it later without being asked:
 * git's configuration and hooks (of the project, its submodules and repositories within it), editors' and agents'
 * folders. `.git` and every folder on the way to a pin are mounts of their own: else they could be renamed and rebuilt.
 * Makes `hooks` folders where they are missing, because a mount needs its place and the engine would make it as root.
 * A worktree's or submodule's data elsewhere are given to read, at their own path.
 */
export async function findPins(
  workspacePath: string,
  scan: Pick<WorkspaceScan, 'gitFolders' | 'gitFiles'>,
): Promise<Protection> {
  const pins = new Map<string, boolean>();
  const warnings: string[] = [];
  const outside: string[] = [];
  const top = kindOf(await lstat(`${workspacePath}/.git`).catch(() => null));
  if (top === 'other') warnings.push('.git is a link and is not protected in the sandbox.');
  for (const folder of scan.gitFolders) await pinRepository({ workspacePath, pins, warnings }, folder);
  for (const file of scan.gitFiles) pinOnTheWay(pins, file, true);
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
    const kind = kindOf(await lstat(`${workspacePath}/${path}`).catch(() => null));
    if (kind === 'file' || kind === 'folder') pins.set(path, true);
    if (kind === 'other') warnings.push(`${path} is a link and is not protected in the sandbox.`);
  }
  const all = [...pins].map(([path, readOnly]) => ({ path, readOnly })).sort(byDepth);
  if (all.length > maxPins) warnings.push(`There are more than ${maxPins} places to protect; the deepest are not.`);
  return { pins: all.slice(0, maxPins), outside, warnings };
}

interface Pinning {
  readonly workspacePath: string;
  readonly pins: Map<string, boolean>;
  readonly warnings: string[];
}

async function pinRepository(pinning: Pinning, folder: string): Promise<void> {
  const { workspacePath, pins, warnings } = pinning;
  const kind = async (name: string) => kindOf(await lstat(`${workspacePath}/${folder}/${name}`).catch(() => null));
  if ((await kind('config')) !== 'file') return;
  pinOnTheWay(pins, folder, false);
  pins.set(`${folder}/config`, true);
  for (const name of ['config.worktree', 'commondir']) {
    if ((await kind(name)) === 'file') pins.set(`${folder}/${name}`, true);
  }
  if ((await kind('hooks')) === 'absent') await mkdir(`${workspacePath}/${folder}/hooks`).catch(() => undefined);
  if ((await kind('hooks')) === 'folder') pins.set(`${folder}/hooks`, true);
  else warnings.push(`${folder}/hooks is no folder and is not protected in the sandbox.`);
  const hooksPath = await hooksPathOf(workspacePath, folder);
  if (hooksPath !== null && kindOf(await lstat(`${workspacePath}/${hooksPath}`).catch(() => null)) === 'folder')
    pinOnTheWay(pins, hooksPath, true);
  for (const below of await repositoriesBelow(workspacePath, folder)) await pinRepository(pinning, below);
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

/** Where `core.hooksPath` leads, when that is a folder of the project. */
async function hooksPathOf(workspacePath: string, folder: string): Promise<string | null> {
  const opened = await openFolderBelow(workspacePath, folder.split('/'));
  if (opened === null) return null;
  const text = (await readRegularFile(opened, 'config', maxConfigBytes))?.toString() ?? '';
  await opened.close();
  const path = /^[ \t]*hookspath\s*=\s*"?([^"\s][^"\n]*)/im
    .exec(text)?.[1]
    ?.trim()
    .replace(/^\.\//, '')
    .replace(/(?<!\/)\/+$/, '');
  if (path === undefined || path.startsWith('/') || path.startsWith('~') || path.split('/').includes('..')) return null;
  return path === '' || path === '.' ? null : path;
}

/** The data of submodules, which lie in those of the repository around them. */
async function repositoriesBelow(workspacePath: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    const opened = await openFolderBelow(workspacePath, path.split('/'));
    if (opened === null) return;
    const entries = await readdir(opened.place, { withFileTypes: true }).catch(() => []);
    await opened.close();
    if (entries.some((entry) => entry.name === 'config' && entry.isFile())) found.push(path);
    else if (depth > 0)
      for (const entry of entries) if (entry.isDirectory()) await look(`${path}/${entry.name}`, depth - 1);
  };
  await look(`${folder}/modules`, 5);
  return found;
}

function byDepth(left: Pin, right: Pin): number {
  const depth = (pin: Pin): number => pin.path.split('/').length;
  return depth(left) - depth(right) || (left.path < right.path ? -1 : 1);
}

function kindOf(found: Stats | null): 'file' | 'folder' | 'other' | 'absent' {
  if (found === null) return 'absent';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}
