import { constants } from 'node:fs';
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, success, type Reply } from '@shared/errors.ts';
import { systemCodeOf } from '../docker/deadline.ts';
import { workspaceRelative } from '../paths.ts';

/** A file or folder of the workspace, open for reading; whoever gets it closes it. */
export interface OpenedPath {
  readonly handle: FileHandle;
  /** Relative to the workspace, as asked for. */
  readonly path: string;
  /** The same with links followed. */
  readonly realPath: string;
  /** Its path on the host as it was when it was opened. */
  readonly place: string;
}

const maxLinks = 20;
const isLinux = process.platform === 'linux';
// A pipe must not hold us up, a terminal must not become ours, and a link is followed by us or not at all.
const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a path below `root` part by part, each from the folder opened before it (Linux), so that a link swapped in
 * meanwhile cannot lead out. Links are followed only while they stay in the workspace. Fails with `not-found`,
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
  readonly link: { readonly at: number; readonly target: string } | null;
}

async function walk(root: string, parts: readonly string[]): Promise<Reply<Walked>> {
  let handle: FileHandle;
  try {
    handle = await open(root, flags);
  } catch (error) {
    return openFailure('.', error);
  }
  let place = root;
  for (const [at, part] of parts.entries()) {
    const path = isLinux ? `/proc/self/fd/${handle.fd}/${part}` : join(place, part);
    place = join(place, part);
    try {
      // Elsewhere than on Linux the look before the opening is all there is; no command runs in this tier that could race it.
      if (!isLinux && (await lstat(path)).isSymbolicLink()) throw new LinkFound();
      const next = await open(path, flags);
      await handle.close();
      handle = next;
    } catch (error) {
      const target = await readlink(path).catch(() => null);
      await handle.close();
      return target === null ? openFailure(parts.join('/'), error) : success({ handle: null, link: { at, target } });
    }
  }
  return success({ handle, link: null });
}

class LinkFound extends Error {}

function leadsOut(path: string): Reply<never> {
  return failure('refused', `${path} is a link that leads out of the workspace.`);
}

function openFailure(path: string, error: unknown): Reply<never> {
  const code = systemCodeOf(error);
  if (code === 'ENOENT') return failure('not-found', `There is no ${path}.`);
  if (code === 'ENOTDIR') return failure('bad-input', `${path} lies below something that is not a folder.`);
  if (code === 'EACCES' || code === 'EPERM')
    return failure('refused', `${path} is protected: its permissions do not allow this.`);
  return failure('bad-input', `${path} cannot be opened (${code ?? 'unknown'}).`);
}
