import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, success, type Reply } from '@shared/errors.ts';
import { openChildFolder, openForReading, openHostFolder, type HostFolder } from '../../lib/files/host-folder.ts';
import { workspaceRelative } from '../files/workspace-relative.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';

/** A file or folder of the workspace, open for reading. The caller closes it. */
export interface OpenedPath {
  readonly handle: FileHandle;
  /** Relative to the workspace, as requested. */
  readonly path: string;
  /** The same path with links followed. */
  readonly realPath: string;
  /** Its path on the host at the time when it was opened. */
  readonly place: string;
  /** What was opened, after the folders on the way. */
  readonly way: readonly BigIntStats[];
}

const maxLinks = 20;

/**
 * Opens a path below `root` part by part, each from the folder that was opened before (Linux). So a link that is
 * swapped in meanwhile cannot lead out. Links are followed only inside the workspace. Fails with `not-found`,
 * `refused` or `bad-input`.
 */
export async function openInside(root: string, relative: string): Promise<Reply<OpenedPath>> {
  let parts = relative === '.' ? [] : relative.split('/');
  for (let links = 0; links <= maxLinks; links += 1) {
    const walked = await walk(root, parts);
    if (!walked.ok || walked.value.link === null) {
      if (walked.ok && walked.value.handle !== null) {
        return success({
          handle: walked.value.handle,
          path: relative,
          realPath: parts.join('/') || '.',
          place: join(root, ...parts),
          way: walked.value.way,
        });
      }
      return walked.ok ? failure('internal', 'nothing was opened') : walked;
    }
    const { at, target } = walked.value.link;
    if (target.startsWith('/')) return leadsOut(relative);
    const next = workspaceRelative([...parts.slice(0, at), target, ...parts.slice(at + 1)].join('/'), root);
    if (!next.ok) return leadsOut(relative);
    parts = next.value === '.' ? [] : next.value.split('/');
  }
  return failure('bad-input', `${relative} is a link that leads back to itself.`);
}

interface Walked {
  readonly handle: FileHandle | null;
  readonly way: readonly BigIntStats[];
  readonly link: { readonly at: number; readonly target: string } | null;
}

async function walk(root: string, parts: readonly string[]): Promise<Reply<Walked>> {
  let folder: HostFolder;
  const way: BigIntStats[] = [];
  const opened = async (handle: FileHandle): Promise<Reply<Walked>> => {
    const stats = await handle.stat({ bigint: true }).catch(async (error: unknown) => {
      await handle.close();
      throw error;
    });
    return success({ handle, link: null, way: [...way, stats] });
  };
  try {
    folder = await openHostFolder(root);
  } catch (error) {
    return openFailure('.', error);
  }
  try {
    for (const [at, part] of parts.entries()) {
      try {
        if (at === parts.length - 1) return await opened(await openForReading(folder, part));
        const next = await openChildFolder(folder, part);
        await folder.close();
        folder = next;
        way.push(await lstat(`${folder.place}/.`, { bigint: true }));
      } catch (error) {
        // It is not a link, so the first error is returned.
        const target = await readlink(folder.at(part)).catch(() => null);
        return target === null
          ? openFailure(parts.join('/'), error)
          : success({ handle: null, way, link: { at, target } });
      }
    }
    return await opened(await open(folder.place, constants.O_RDONLY));
  } finally {
    await folder.close();
  }
}

function leadsOut(path: string): Reply<never> {
  return failure('refused', `${path} is a link that leads out of the workspace.`);
}

function openFailure(path: string, error: unknown): Reply<never> {
  const code = errorCodeOf(error);
  if (code === 'ENOENT') return failure('not-found', `There is no ${path}.`);
  if (code === 'EINVAL') return failure('bad-input', `${path} holds a name that cannot be used here.`);
  if (code === 'ENOTDIR') return failure('bad-input', `${path} lies below something that is not a folder.`);
  if (code === 'EACCES' || code === 'EPERM')
    return failure('refused', `${path} is protected: its permissions do not allow this.`);
  return failure('bad-input', `${path} cannot be opened (${code ?? 'unknown'}).`);
}
