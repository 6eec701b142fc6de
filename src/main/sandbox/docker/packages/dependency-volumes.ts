import { randomBytes } from 'node:crypto';
import { labelNames } from '../container/container-create-body.ts';
import { statusOf, withDeadline } from '../engine/engine-deadline.ts';
import type { Engine } from '../engine/container-engine.ts';
import { folderArchive } from '../files/folder-archive.ts';
import { isOwnerAlive, ownerMark } from '../user/container-identity.ts';
import { removeVolume } from '../container/remove-container.ts';

/**
 * Marks volumes with packages, with the home that they belong to. It differs from the label of containers and
 * scratch volumes, which are removed once their process is gone. These volumes stay.
 */
const dependenciesLabel = 'dewpoint.dependencies';
const engineMs = 10_000;

/** Creates an empty volume for one part. Until a record names it, it counts as incomplete. */
export async function createDependencyVolume(engine: Engine, homeId: string, imageId: string): Promise<string> {
  const name = `dewpoint-deps-${homeId}-${randomBytes(8).toString('hex')}`;
  const labels = {
    [labelNames.app]: 'dependencies',
    [dependenciesLabel]: homeId,
    [labelNames.owner]: await ownerMark(process.pid),
  };
  await withDeadline(engineMs, null, () => engine.docker.createVolume({ Name: name, Labels: labels }));
  await openToAll(engine, { name, imageId });
  return name;
}

/**
 * A new volume belongs to root, and no user in a container can change that. So its folder's mode is changed through
 * a container that is created for that and never started. The volume is writable only while packages are installed.
 */
async function openToAll(
  engine: Engine,
  { name, imageId }: { readonly name: string; readonly imageId: string },
): Promise<void> {
  const target = '/deps';
  const container = await withDeadline(engineMs, null, () =>
    engine.docker.createContainer({
      Image: imageId,
      Cmd: ['true'],
      Labels: { [labelNames.app]: 'dependencies' },
      HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], Mounts: [{ Type: 'volume', Source: name, Target: target }] },
    }),
  );
  try {
    const archive = folderArchive('.', { uid: 0, gid: 0 }, 0o777);
    await withDeadline(engineMs, null, () => container.putArchive(archive, { path: target }));
  } finally {
    await withDeadline(engineMs, null, () => container.remove({ force: true }));
  }
}

/** Rejects only if the engine does not answer. */
export async function hasDependencyVolume(engine: Engine, homeId: string, name: string): Promise<boolean> {
  try {
    const found = await withDeadline(engineMs, null, () => engine.docker.getVolume(name).inspect());
    return found.Labels?.[dependenciesLabel] === homeId;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

/** Returns false if a container still uses the volume. Never rejects. */
export async function removeDependencyVolume(engine: Engine, name: string): Promise<boolean> {
  const volume = engine.docker.getVolume(name);
  await removeVolume(volume, engineMs);
  try {
    await withDeadline(engineMs, null, () => volume.inspect());
    return false;
  } catch (error) {
    return statusOf(error) === 404;
  }
}

/** Volumes of this home that no record names and whose creator is gone, left by installations that were killed. */
export async function halfMadeVolumes(
  engine: Engine,
  homeId: string,
  recorded: ReadonlySet<string>,
): Promise<readonly string[]> {
  const filters = { label: [`${dependenciesLabel}=${homeId}`] };
  const { Volumes } = await withDeadline(engineMs, null, () => engine.docker.listVolumes({ filters }));
  const half: string[] = [];
  for (const { Name, Labels } of Volumes ?? []) {
    if (recorded.has(Name) || (await isOwnerAlive(Labels?.[labelNames.owner] ?? ''))) continue;
    half.push(Name);
  }
  return half;
}
