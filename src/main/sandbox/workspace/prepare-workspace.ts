import { constants } from 'node:fs';
import { access, lstat, realpath, rm, stat, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { giveFolderHint, hasNoFolder } from '@shared/projects/project-keys.ts';
import { AppError, failure, messageOf, success, toFailure, type Reply } from '@shared/errors.ts';
import { errorCodeOf, makeFolder } from '../../lib/files/json-file.ts';
import { findDataFolders } from '../../lib/files/data-folders.ts';
import { planCopy, type CopyPlan } from './workspace-copy-plan.ts';
import { copyPlanned, NotCopyable } from './copy-workspace.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';
import { isWithin } from '../../lib/files/is-within.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import { sizeText } from '@shared/text/size-text.ts';

export interface WorkspaceRequest {
  readonly mode: WorkspaceMode;
  /** The project's folder. Null only for `scratch`. */
  readonly projectPath: string | null;
  /** Where a copy or an empty folder is made. It must not exist. */
  readonly targetPath: string;
  /** The Dewpoint home. Neither it nor a folder that contains it may be a workspace. */
  readonly homePath: string;
  readonly needsWrite: boolean;
}

export interface PreparedWorkspace {
  /** A real path. */
  readonly path: string;
  readonly mode: WorkspaceMode;
  /** The number of copied files. 0 for the other modes. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Makes the folder that a session works in. A copy contains what `planCopy` says, with modes, times and links, and
 * shares blocks with the original if the file system can. Whatever fails, the project is untouched and no incomplete
 * copy stays.
 */
export async function prepareWorkspace(
  request: WorkspaceRequest,
  signal: AbortSignal,
): Promise<Reply<PreparedWorkspace>> {
  const { mode, projectPath, targetPath, homePath } = request;
  if (mode === 'scratch' || projectPath === null) {
    if (mode !== 'scratch')
      return failure('usage', `--workspace ${mode} needs a project.`, 'Name one with --project DIR.');
    await makeFolder(targetPath);
    return success({ path: await realpath(targetPath), mode, files: 0, bytes: 0 });
  }
  const project = await checkWorkspace(projectPath, {
    homePath,
    needsWrite: mode === 'in-place' && request.needsWrite,
  });
  if (!project.ok) return project;
  if (mode === 'in-place') return success({ path: project.value, mode, files: 0, bytes: 0 });
  return copyWorkspace(project.value, targetPath, signal);
}

/**
 * Checks whether a folder can be a workspace and returns its real path. Fails with `not-found`, `bad-input`,
 * `refused`, or `timeout` if its drive does not answer.
 */
export async function checkWorkspace(
  path: string,
  { homePath, needsWrite }: { readonly homePath: string; readonly needsWrite: boolean },
): Promise<Reply<string>> {
  if (hasNoFolder(path))
    return failure('bad-input', 'This project has no folder, and this works on files.', giveFolderHint);
  const shown = resolve(path);
  // Only a silent drive rejects: the check itself says what is wrong as its answer.
  return askDrive(shown, () => checkOnDrive(shown, { homePath, needsWrite })).catch((error: unknown) => ({
    ok: false,
    error: toFailure(error),
  }));
}

async function checkOnDrive(
  shown: string,
  { homePath, needsWrite }: { readonly homePath: string; readonly needsWrite: boolean },
): Promise<Reply<string>> {
  try {
    const real = await realpath(shown);
    if (!(await stat(real)).isDirectory())
      return failure('bad-input', `${shown} is a file, not a folder.`, 'Name the folder of the project.');
    const danger = await dangerOf(real, homePath);
    if (danger !== null)
      return failure('refused', `${shown} cannot be a workspace: ${danger}.`, 'Name the folder of one project.');
    await access(real, constants.R_OK | constants.X_OK);
    if (!needsWrite) return success(real);
    return await access(real, constants.W_OK).then(
      () => success(real),
      (error: unknown) => writeFailure(shown, error),
    );
  } catch (error) {
    return pathFailure(shown, error);
  }
}

/** Whether a path is one of our own workspaces. The folder that contains them is not one. */
function isInWorkspaces(real: string, own: string): boolean {
  const workspaces = join(own, 'workspaces');
  return real !== workspaces && isWithin(real, workspaces);
}

async function dangerOf(real: string, homePath: string): Promise<string | null> {
  if (real === parse(real).root) return 'it is the whole disk';
  // A folder that does not exist yet is compared by its name.
  const home = await realpath(homedir()).catch(() => homedir());
  if (real === home) return 'it is your home folder';
  if (isWithin(home, real)) return 'your home folder is in it';
  const own = await realpath(homePath).catch(() => resolve(homePath));
  if (isWithin(own, real)) return "Dewpoint's data is in it";
  if (isWithin(real, own) && !isInWorkspaces(real, own)) return "it belongs to Dewpoint's data";
  const cache = findDataFolders(process.env, process.platform).cache;
  const realCache = await realpath(cache).catch(() => cache);
  if (isWithin(realCache, real)) return "Dewpoint's cache is in it";
  if (isWithin(real, realCache)) return "it belongs to Dewpoint's cache";
  if (systemFolders.some((folder) => isWithin(real, folder))) return 'it belongs to the system';
  if (sharedFolders.includes(real)) return 'many programs share it';
  const personal = personalFolders.map((name) => join(home, name));
  if (personal.some((folder) => isWithin(real, folder))) return 'it holds your keys';
  return null;
}

const systemFolders = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr/bin'];
const sharedFolders = [
  '/home',
  '/mnt',
  '/opt',
  '/private',
  '/srv',
  '/tmp',
  '/usr',
  '/usr/local',
  '/var',
  '/var/tmp',
  '/Users',
];
/** Folders in the user's home folder that must not be workspaces. */
const personalFolders = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store', '.config/gcloud'];

/** A folder that can be read. So a copy of it can be made. */
function writeFailure(path: string, error: unknown): Reply<never> {
  switch (errorCodeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return failure(
        'refused',
        `${path} cannot be changed: its permissions do not allow it.`,
        'Change its permissions, or work on a copy: --workspace copy',
      );
    case 'EROFS':
      return failure('refused', `${path} is on a read-only file system.`, 'Work on a copy: --workspace copy');
    default:
      return pathFailure(path, error);
  }
}

function pathFailure(path: string, error: unknown): Reply<never> {
  switch (errorCodeOf(error)) {
    case 'ENOENT':
      return failure('not-found', `The folder ${path} was not found.`);
    case 'ENOTDIR':
      return failure('bad-input', `${path} lies below something that is not a folder.`);
    case 'ELOOP':
      return failure('bad-input', `${path} is a link that leads back to itself.`);
    case 'ENAMETOOLONG':
      return failure('bad-input', 'The path of the folder is too long.');
    case 'EACCES':
    case 'EPERM':
      return failure(
        'refused',
        `${path} cannot be read: its permissions do not allow it.`,
        'Change its permissions, so that you can read it.',
      );
    case 'EROFS':
      return failure('refused', `${path} is on a read-only file system.`);
    case 'ENOSPC':
      return failure('disk-full', 'The disk is full.');
    default:
      return failure('bad-input', `${path} cannot be used: ${messageOf(error)}`);
  }
}

/** Copies a folder completely or not at all. */
async function copyWorkspace(from: string, to: string, signal: AbortSignal): Promise<Reply<PreparedWorkspace>> {
  if (!isAbsolute(to) || isWithin(resolve(to), from))
    return failure('bad-input', 'A copy cannot be inside the folder that it copies.');
  if ((await lstat(to).catch(() => null)) !== null) return failure('conflict', `${to} already exists.`);
  try {
    const plan = await askDrive(from, () => planCopy(from, signal), { signal });
    await makeFolder(dirname(to));
    const room = await roomFor(plan, dirname(to));
    if (!room.ok) return room;
    const copied = await askDrive(
      from,
      (left) => copyPlanned(plan, { from, to, signal: AbortSignal.any([signal, left]) }),
      { signal },
    );
    return success({ path: await realpath(to), mode: 'copy', ...copied });
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    if (error instanceof AppError) return { ok: false, error: toFailure(error) };
    return error instanceof NotCopyable
      ? failure('bad-input', error.message, 'Remove it, or work in place: --workspace in-place')
      : pathFailure(from, error);
  }
}

/** Fails with `disk-full` if a copy cannot fit, before it fills a disk that everything else needs, too. */
async function roomFor({ bytes }: CopyPlan, folder: string): Promise<Reply<null>> {
  const { bavail, bsize, type } = await statfs(folder);
  const mayShareBlocks = process.platform === 'darwin' || sharingSystems.has(type);
  if (mayShareBlocks || bytes <= bavail * bsize) return success(null);
  return failure(
    'disk-full',
    `A copy of the project needs ${sizeText(bytes)}, and ${sizeText(bavail * bsize)} are free.`,
    'Free some space, list what it does not need in .gitignore, or work in place: --workspace in-place',
  );
}

/** btrfs, xfs and bcachefs: a copy may take no room at all. */
const sharingSystems: ReadonlySet<number> = new Set([0x9123683e, 0x58465342, 0xca451a4e]);
