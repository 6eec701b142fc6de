import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../lib/files/json-file.ts';
import { diagnostics } from '../../../lib/log.ts';
import { labelNames } from '../container/container-create-body.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import type { Engine } from '../engine/container-engine.ts';
import { ownerMark } from '../user/container-identity.ts';
import { lookUpImage, ourImageName } from '../../images/sandbox-image.ts';
import { removeContainer } from '../container/remove-container.ts';
import { runnerInContainer, type RunnerPlace } from './runner-processes.ts';
import { sha256Of } from '../../../lib/sha256.ts';

export interface BorrowRequest {
  /** The folder with `sandbox/Dockerfile` and the runner's source. */
  readonly resourcesPath: string;
  /** The folder for files that containers get. */
  readonly supportFolder: string;
  readonly homeId: string;
}

const engineMs = 30_000;
/** The runner has about a megabyte. A larger file is not ours. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Provides the runner for an image without it. It is copied out of our own image once, and kept in the home. It is
 * static, so it runs in any image. Null if our own image is not on this machine, or the copy fails.
 */
export async function borrowRunner(
  engine: Engine,
  request: BorrowRequest,
  signal: AbortSignal,
): Promise<RunnerPlace | null> {
  const { supportFolder } = request;
  try {
    const ours = await lookUpImage(engine, await ourImageName(request.resourcesPath), signal);
    if (ours?.runner !== 'brought') return null;
    const file = join(supportFolder, `runner-${sha256Of(ours.id).slice(0, 12)}`);
    const place: RunnerPlace = { path: '/run/dewpoint-runner', file };
    // It has not been copied out of the image yet.
    if (await stat(file).catch(() => null)) return place;
    const program = fileOf(await archiveOf(engine, ours.id, request));
    if (program === null) return null;
    // Written atomically, because another process may be starting a container at this moment.
    await writeFileAtomic(file, program, { sync: false, mode: 0o755 });
    return place;
  } catch (error) {
    diagnostics.warn('sandbox: the runner could not be taken out of our own image', error);
    return null;
  }
}

/** Gets a tar archive from a container that never runs. */
async function archiveOf(engine: Engine, imageId: string, { homeId }: BorrowRequest): Promise<Buffer> {
  const container = await withDeadline(engineMs, null, async () =>
    engine.docker.createContainer({
      Image: imageId,
      Cmd: ['/bin/false'],
      // If this process dies now, the labels let the next start find and remove the container.
      Labels: {
        [labelNames.app]: 'sandbox',
        [labelNames.home]: homeId,
        [labelNames.owner]: await ownerMark(process.pid),
      },
      HostConfig: { NetworkMode: 'none' },
    }),
  );
  try {
    return await withDeadline(engineMs, null, async () => {
      const stream = await container.getArchive({ path: runnerInContainer });
      const pieces: Buffer[] = [];
      let size = 0;
      for await (const piece of stream) {
        const bytes = Buffer.from(piece);
        size += bytes.length;
        if (size > mostBytes) throw new Error('it is too large');
        pieces.push(bytes);
      }
      return Buffer.concat(pieces);
    });
  } finally {
    await removeContainer(container, engineMs);
  }
}

/** The content of the first entry in an archive, if it is a regular file. Null otherwise. */
export function fileOf(archive: Buffer): Buffer | null {
  const blockBytes = 512;
  if (archive.length < blockBytes) return null;
  const type = archive.toString('latin1', 156, 157);
  const size = Number.parseInt(archive.toString('latin1', 124, 136), 8);
  if ((type !== '0' && type !== '\0') || !(size > 0) || blockBytes + size > archive.length) return null;
  return archive.subarray(blockBytes, blockBytes + size);
}
