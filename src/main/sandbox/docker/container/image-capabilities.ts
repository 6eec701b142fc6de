import type Dockerode from 'dockerode';
import { ContainerGoneError, type ContainerProcesses } from '../exec/container-process.ts';
import { scratchInContainer, workspaceInContainer } from './container-create-body.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import type { DiskSpace } from '../engine/disk-watch.ts';
import { parseDiskFree } from '../engine/engine-disk.ts';
import { folderArchive } from '../files/folder-archive.ts';
import type { UserIds } from '../user/container-identity.ts';
import { scriptFiles } from '../exec/container-scripts.ts';
import { noteFailure } from '../../../lib/log.ts';

/** What the image in use can do. */
export interface ImageCapabilities {
  /** It has GNU's `find -printf` and `stat`. */
  readonly gnu: boolean;
  readonly rg: boolean;
  readonly bash: boolean;
  /** A folder on disk outside of the workspace that the commands' user can write. Null: none. */
  readonly scratch: string | null;
  /** The disk of its volumes. Null: not reported. */
  readonly volumes: DiskSpace | null;
}

const engineMs = 30_000;

/** Finds out what the image can do, and tests the user at the same time. Rejects if the image cannot run a shell. */
export async function probeImageCapabilities(
  { container, processes }: { readonly container: Dockerode.Container; readonly processes: ContainerProcesses },
  user: UserIds,
  trial: { readonly made: string; readonly given: string } | null,
): Promise<ImageCapabilities> {
  let text = '';
  const values = [workspaceInContainer, scratchInContainer, trial?.made ?? '', trial?.given ?? ''];
  const running = await processes.start({
    program: { type: 'script', text: scriptFiles.probe, values },
    onChunk: (chunk) => {
      text += Buffer.from(chunk.bytes).toString();
    },
  });
  const end = await running.ended;
  if (end.type === 'lost') throw new ContainerGoneError(`the container ended at once: ${end.reason}`);
  if (end.type !== 'exited' || end.exitCode !== 0)
    throw new Error(`the image cannot run a shell: ${text.trim().slice(0, 300)}`);
  const words = text.split('\n');
  // Not every engine says in advance what it hides.
  if (words.includes('open')) throw new Error('the engine does not hide the parts of /proc that it should hide');
  return {
    gnu: words.includes('gnu'),
    rg: words.includes('rg'),
    bash: words.includes('bash'),
    scratch: words.includes('scratch') ? scratchInContainer : await makeScratch(container, user),
    volumes: parseDiskFree(text),
  };
}

// The volume gets the permissions of its folder in the image. In a user's own image, only root may be able to write
// there.
async function makeScratch(container: Dockerode.Container, user: UserIds): Promise<string | null> {
  try {
    const archive = folderArchive('work', user);
    await withDeadline(engineMs, null, () => container.putArchive(archive, { path: scratchInContainer }));
    return `${scratchInContainer}/work`;
  } catch (error) {
    // An image that accepts no folder has no scratch place.
    noteFailure('sandbox: an image has no scratch folder', error);
    return null;
  }
}
