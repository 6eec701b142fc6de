import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOf } from '@shared/errors.ts';
import type { CleanRequest, KeptItem } from '@shared/projects/project-preparation.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { isGone, mayBeThere, realPathOf } from '../lib/files/host-folder.ts';
import { workOnDrive } from '../lib/files/served-drives.ts';
import { findPrepared, type PartState } from './packages/find-prepared.ts';
import { dependencyRecords, type DependencyRecord } from './packages/dependency-records.ts';
import { halfMadeVolumes, hasDependencyVolume, removeDependencyVolume } from './docker/packages/dependency-volumes.ts';
import { statusOf } from './docker/engine/engine-deadline.ts';
import { engineSearch } from './docker/engine/engine-endpoints.ts';
import { findEngine, type Engine } from './docker/engine/container-engine.ts';
import { homeIdOf } from './docker/user/container-identity.ts';
import { ourImageName } from './images/sandbox-image.ts';
import { keptImages } from './images/kept-images.ts';
import { sweepLeftovers } from './docker/engine/sweep-leftovers.ts';
import { setupOf } from './project-sandbox-settings.ts';

interface CleaningDeps {
  readonly homePath: string;
  readonly resourcesPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: () => Settings['sandbox'];
}

type Cleaning = CleanRequest & {
  /** Lists only the packages of this project. Absent: everything that is kept. */
  readonly ofProject?: string;
};

/** Lists what the engine keeps, and removes what is unneeded, or all of it. Rejects if there is no engine. */
export async function cleanUpKept(
  deps: CleaningDeps,
  { remove, images = false, ofProject }: Cleaning,
  signal: AbortSignal,
): Promise<readonly KeptItem[]> {
  const search = engineSearch(deps.env, deps.settings());
  const engine = valueOf(await findEngine(search, signal));
  const homePath = await realpath(deps.homePath);
  const homeId = homeIdOf(homePath);
  const store = dependencyRecords(homePath);
  // The path of a deleted project cannot be resolved, so it is used as it is.
  const project = ofProject === undefined ? null : await realPathOf(ofProject).catch(() => ofProject);
  const all = await store.list();
  const records = project === null ? all : all.filter(({ projectPath }) => projectPath === project);
  const items: KeptItem[] = [];
  for (const record of records) {
    const { outcome } = record;
    const unneeded = await whyUnneeded(deps, record, { engine, homeId, records, signal });
    const isWanted = remove === 'all' || (remove === 'unneeded' && unneeded !== null);
    let isRemoved = false;
    if (isWanted) {
      isRemoved = outcome.type === 'failed' || (await removeDependencyVolume(engine, outcome.volume));
      if (isRemoved) await store.remove(record.key);
    }
    if (outcome.type === 'failed') continue;
    items.push({
      kind: 'packages',
      name: `${record.projectPath} (${record.ecosystem}, ${record.tool})`,
      sizeBytes: outcome.sizeBytes,
      unneeded,
      isRemoved,
    });
  }
  if (project !== null) return items;
  const recorded = new Set(records.flatMap(({ outcome }) => (outcome.type === 'ready' ? [outcome.volume] : [])));
  for (const name of await halfMadeVolumes(engine, homeId, recorded)) {
    const isRemoved = remove !== 'nothing' && (await removeDependencyVolume(engine, name));
    items.push({ kind: 'unfinished', name, sizeBytes: null, unneeded: 'its installation did not finish', isRemoved });
  }
  const settings = deps.settings();
  const used = [settings.image, ...Object.values(settings.projects).map(({ image }) => image?.name ?? null)];
  const named = new Set(used.filter((name) => name !== null));
  const isRemoving = images && remove !== 'nothing';
  items.push(
    ...(await keptImages(imagesOf(engine), { own: await ourImageName(deps.resourcesPath), named, isRemoving })),
  );
  if (remove !== 'nothing') items.push(...(await removedLeftovers(engine, homeId)));
  return items;
}

async function removedLeftovers(engine: Engine, homeId: string): Promise<readonly KeptItem[]> {
  const { containers, volumes } = await sweepLeftovers(engine, homeId);
  const swept = [
    [containers, 'containers'],
    [volumes, 'volumes'],
  ] as const;
  return swept.flatMap(([count, what]) =>
    count === 0
      ? []
      : [
          {
            kind: 'leftover' as const,
            name: `${count} ${what} left by a Dewpoint that was killed`,
            sizeBytes: null,
            unneeded: 'its process has ended',
            isRemoved: true,
          },
        ],
  );
}

/** The engine's calls, reduced to the forms that are used here. */
function imagesOf({ docker }: Engine): Parameters<typeof keptImages>[0] {
  return {
    listImages: () => docker.listImages(),
    getImage: (name) => ({ remove: () => docker.getImage(name).remove() }),
  };
}

interface Judging {
  readonly engine: Engine;
  readonly homeId: string;
  readonly records: readonly DependencyRecord[];
  readonly signal: AbortSignal;
}

/**
 * Why packages are not needed. Null: they are needed, as long as their project exists and requires them, or no newer
 * ones were installed.
 */
async function whyUnneeded(deps: CleaningDeps, record: DependencyRecord, judging: Judging): Promise<string | null> {
  const { engine, homeId, records, signal } = judging;
  const { projectPath, ecosystem, imageId, key } = record;
  const look = () => stat(projectPath).catch((error: unknown) => (isGone(error) ? null : 'closed'));
  const { value: project } = (await workOnDrive(projectPath, look)) ?? { value: 'closed' };
  // If the project cannot be read, or its drive is silent, its needs are unknown, so its packages stay.
  if (project === 'closed') return null;
  if (project === null || typeof project === 'string' || !project.isDirectory()) return 'its project was deleted';
  if (record.outcome.type === 'ready' && !(await hasDependencyVolume(engine, homeId, record.outcome.volume)))
    return 'its volume was deleted';
  const image = await engine.docker
    .getImage(imageId)
    .inspect()
    .catch((error: unknown) => {
      if (statusOf(error) === 404) return null;
      throw error;
    });
  if (image === null) return 'its image was deleted';
  const own = setupOf(deps.settings(), projectPath).setup;
  const states = await findPrepared(
    {
      workspacePath: projectPath,
      projectPath,
      imageId,
      own,
      sessionId: null,
      records: dependencyRecords(deps.homePath),
      hasVolume: (name) => hasDependencyVolume(engine, homeId, name),
    },
    signal,
  );
  if (record.changed !== undefined) return whyChangedUnneeded(deps, record, states);
  const state = states.find(({ part }) => part.ecosystem === ecosystem && part.folder === (record.folder ?? ''));
  if (state === undefined) return 'its project no longer needs it';
  if (state.key === key || state.record?.key === key) return null;
  return records.some((other) => other.at > record.at && isOfSamePart(other, record)) ? 'a newer one exists' : null;
}

/** Packages that commands changed are needed until their project or session is deleted, or newer ones exist. */
async function whyChangedUnneeded(
  { homePath }: CleaningDeps,
  record: DependencyRecord,
  states: readonly PartState[],
): Promise<string | null> {
  const { changed, key } = record;
  if (changed === undefined || states.some((state) => state.record?.key === key)) return null;
  if (changed.isForProject) return 'a newer one exists';
  const isThere = await Promise.all(
    ['sessions', 'bin'].map((place) => mayBeThere(join(homePath, place, changed.sessionId))),
  );
  return isThere.includes(true) ? null : 'its session was deleted';
}

function isOfSamePart(one: DependencyRecord, other: DependencyRecord): boolean {
  return (
    one.projectPath === other.projectPath &&
    one.ecosystem === other.ecosystem &&
    (one.folder ?? '') === (other.folder ?? '')
  );
}
