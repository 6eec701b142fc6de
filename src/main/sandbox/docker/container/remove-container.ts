import type Dockerode from 'dockerode';
import { sleep } from '../../../lib/async/abort.ts';
import { diagnostics } from '../../../lib/log.ts';
import { statusOf, withDeadline } from '../engine/engine-deadline.ts';

const underWayMs = 50;

/** Kills and removes a container. Resolves with whether it is gone. Never rejects: the next sweep removes what is left. */
export async function removeContainer(
  container: Pick<Dockerode.Container, 'remove'>,
  milliseconds: number,
): Promise<boolean> {
  try {
    await withDeadline(milliseconds, null, async (signal) => {
      while (!(await isGone(container))) await sleep(underWayMs, signal);
    });
    return true;
  } catch (error) {
    diagnostics.warn('sandbox: a container could not be removed', error);
    return false;
  }
}

/** Returns false if something else is removing it right now. Its processes may then still be running. */
async function isGone(container: Pick<Dockerode.Container, 'remove'>): Promise<boolean> {
  try {
    await container.remove({ force: true, v: true });
    return true;
  } catch (error) {
    const status = statusOf(error);
    if (status !== 404 && status !== 409) throw error;
    return status === 404;
  }
}

/** Never rejects, like `removeContainer`. */
export async function removeVolume(volume: Dockerode.Volume, milliseconds: number): Promise<void> {
  try {
    await withDeadline(milliseconds, null, () => volume.remove());
  } catch (error) {
    if (statusOf(error) !== 404) diagnostics.warn('sandbox: a volume could not be removed', error);
  }
}
