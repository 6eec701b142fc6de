import { homedir } from 'node:os';
import type { Settings } from '@shared/settings/settings.ts';
import { diagnostics } from '../../lib/log.ts';
import type { Connection } from '../../lib/net/net-fetch.ts';
import { mountNameOf, placeInSession } from './dependency-part.ts';
import { findPrepared, type PartState } from './find-prepared.ts';
import { makeMountPoint } from './mount-points.ts';
import { findPackageSources, openSources } from './package-sources.ts';
import { dependencyRecords } from './dependency-records.ts';
import { emptySessionEnvironment, sessionEnvironmentFrom, type SessionEnvironment } from './session-environment.ts';
import { hasDependencyVolume } from '../docker/packages/dependency-volumes.ts';
import type { Engine } from '../docker/engine/container-engine.ts';
import { homeIdOf } from '../docker/user/container-identity.ts';
import { imagePath } from '../images/image-path-variable.ts';
import type { SandboxImage } from '../images/sandbox-image.ts';
import type { SessionPackages } from '../docker/packages/package-changes.ts';
import { setupOf, variablesOf } from '../project-sandbox-settings.ts';
import { realpath } from '../../lib/files/drive-calls.ts';

export interface ProjectEnvironmentQuery {
  readonly engine: Engine;
  readonly image: Pick<SandboxImage, 'id'>;
  readonly sessionId: string;
  readonly homePath: string;
  readonly workspacePath: string;
  readonly projectPath?: string | null;
  readonly settings: Settings['sandbox'];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connection: () => Connection;
  readonly learn?: (secret: { readonly kind: string; readonly value: string }) => void;
}

/** What a session of a project gets in addition to its folder, and how its commands may change that. */
export interface ProjectEnvironment {
  /**
   * The volumes with its packages, and the variables in the settings. If packages cannot be used, the session starts
   * all the same, with a warning. Rejects only on abort.
   */
  readonly find: (signal: AbortSignal) => Promise<SessionEnvironment>;
  readonly packages: SessionPackages;
}

export async function findProjectEnvironment(query: ProjectEnvironmentQuery): Promise<ProjectEnvironment> {
  // The path of a missing folder is kept. Whatever uses it reports the error.
  const projectPath = await realpath(query.projectPath ?? query.workspacePath).catch(() => query.workspacePath);
  const workspacePath = await realpath(query.workspacePath).catch(() => query.workspacePath);
  const own = setupOf(query.settings, projectPath);
  const packages = await packagesOf(query, { projectPath, workspacePath });
  return {
    packages,
    find: async (signal) => {
      const variables = variablesOf(own, query.env);
      for (const secret of variables.secrets) query.learn?.(secret);
      const prepared = await prepare(query, packages, signal);
      // Variables in the settings do not override those that are needed to find the packages.
      return { ...prepared, environment: { ...variables.environment, ...prepared.environment } };
    },
  };
}

interface Paths {
  readonly projectPath: string;
  readonly workspacePath: string;
}

async function packagesOf(query: ProjectEnvironmentQuery, paths: Paths): Promise<SessionPackages> {
  const { engine, image, sessionId, settings } = query;
  const homePath = await realpath(query.homePath);
  const homeId = homeIdOf(homePath);
  const records = dependencyRecords(homePath);
  const { setup } = setupOf(settings, paths.projectPath);
  const hasVolume = (name: string): Promise<boolean> => hasDependencyVolume(engine, homeId, name);
  return {
    ...paths,
    engine,
    homeId,
    imageId: image.id,
    sessionId,
    records,
    states: (signal) =>
      findPrepared({ ...paths, imageId: image.id, own: setup, sessionId, records, hasVolume }, signal),
    sources: async (hosts) => {
      const { certificates } = query.connection();
      const sources = await findPackageSources({
        env: query.env,
        homeDirectory: homedir(),
        machineFolder: '/etc',
        platform: process.platform,
        projectNpmrc: '',
        certificates: certificates === null ? [] : [certificates],
      });
      return openSources(sources, hosts);
    },
  };
}

async function prepare(
  { engine, image }: ProjectEnvironmentQuery,
  { projectPath, workspacePath, states: findStates }: SessionPackages,
  signal: AbortSignal,
): Promise<SessionEnvironment> {
  try {
    const states = await findStates(signal);
    if (states.length === 0) return emptySessionEnvironment;
    const found = sessionEnvironmentFrom(states, await imagePath(engine, image.id, signal), projectPath);
    const blocked = await mountOnFolders(workspacePath, states);
    return { ...found, mounts: found.mounts.filter(({ target }) => !blocked.includes(target)) };
  } catch (error) {
    signal.throwIfAborted();
    diagnostics.warn('sandbox: what is installed for a project could not be found out', error);
    return {
      ...emptySessionEnvironment,
      warnings: ['The installed packages of this project could not be found, so they are not used.'],
    };
  }
}

/**
 * Makes the folders of the workspace on which packages are mounted. Returns the places where that is not possible.
 */
async function mountOnFolders(workspacePath: string, states: readonly PartState[]): Promise<readonly string[]> {
  const blocked: string[] = [];
  for (const { part, record } of states) {
    const name = mountNameOf(part);
    if (record?.outcome.type !== 'ready' || name === null) continue;
    if ((await makeMountPoint(workspacePath, part.folder, name)) === 'blocked') blocked.push(placeInSession(part));
  }
  return blocked;
}
