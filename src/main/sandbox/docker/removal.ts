import type Dockerode from 'dockerode';
import { messageOf } from '@shared/errors.ts';
import type { Log } from '../../lib/log.ts';
import { statusOf, withDeadline } from './deadline.ts';

/** Kills and removes a container. Never rejects: what stays is for the next sweep. */
export async function removeContainer(container: Dockerode.Container, milliseconds: number, log: Log): Promise<void> {
  try {
    await withDeadline(milliseconds, null, () => container.remove({ force: true, v: true }));
  } catch (error) {
    // 404: gone already; 409: its removal is under way.
    const status = statusOf(error);
    if (status !== 404 && status !== 409) log.warn(`sandbox: a container could not be removed: ${messageOf(error)}`);
  }
}

/** Never rejects, as above. */
export async function removeVolume(volume: Dockerode.Volume, milliseconds: number, log: Log): Promise<void> {
  try {
    await withDeadline(milliseconds, null, () => volume.remove());
  } catch (error) {
    if (statusOf(error) !== 404) log.warn(`sandbox: a volume could not be removed: ${messageOf(error)}`);
  }
}
