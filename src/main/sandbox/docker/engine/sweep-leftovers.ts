import { diagnostics } from '../../../lib/log.ts';
import { labelNames } from '../container/container-create-body.ts';
import { statusOf, withDeadline } from './engine-deadline.ts';
import type { Engine } from './container-engine.ts';
import { isOwnerAlive } from '../user/container-identity.ts';

export interface Swept {
  readonly containers: number;
  readonly volumes: number;
}

const engineMs = 10_000;

/**
 * Removes containers and volumes of this home whose process is gone (it was killed, or the machine went down). Those
 * of a living process or another home are not touched. Never rejects: the next start tries again.
 */
export async function sweepLeftovers(engine: Engine, homeId: string): Promise<Swept> {
  const { docker } = engine;
  const filters = { label: [`${labelNames.home}=${homeId}`] };
  const swept = { containers: 0, volumes: 0 };
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await withDeadline(engineMs, null, work);
      return true;
    } catch (error) {
      if (statusOf(error) !== 404) diagnostics.warn(`sandbox: a left ${what} could not be removed`, error);
      return false;
    }
  };
  try {
    const containers = await withDeadline(engineMs, null, () => docker.listContainers({ all: true, filters }));
    for (const { Id, Labels } of containers) {
      if (await isOwnerAlive(Labels[labelNames.owner] ?? '')) continue;
      if (await attempt('container', () => docker.getContainer(Id).remove({ force: true, v: true })))
        swept.containers += 1;
    }
    const { Volumes } = await withDeadline(engineMs, null, () => docker.listVolumes({ filters }));
    for (const { Name, Labels } of Volumes ?? []) {
      if (await isOwnerAlive(Labels?.[labelNames.owner] ?? '')) continue;
      if (await attempt('volume', () => docker.getVolume(Name).remove())) swept.volumes += 1;
    }
  } catch (error) {
    diagnostics.warn('sandbox: leftovers could not be looked for', error);
  }
  return swept;
}
