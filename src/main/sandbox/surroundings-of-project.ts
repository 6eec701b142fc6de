import { realpath } from 'node:fs/promises';
import type { Settings } from '@shared/settings.ts';
import { messageOf } from '@shared/errors.ts';
import type { Log } from '../lib/log.ts';
import { findPrepared } from './dependencies/find-prepared.ts';
import { dependencyRecords } from './dependencies/records.ts';
import { noSurroundings, surroundingsFrom, type Surroundings } from './dependencies/surroundings.ts';
import { hasDependencyVolume } from './docker/dependency-volumes.ts';
import type { Engine } from './docker/engine.ts';
import { homeIdOf } from './docker/identity.ts';
import { imagePath } from './docker/image-path.ts';
import type { SandboxImage } from './docker/image.ts';
import { setupOf, variablesOf } from './project-setup.ts';

export interface SurroundingsQuery {
  readonly engine: Engine;
  readonly image: Pick<SandboxImage, 'id'>;
  readonly homePath: string;
  readonly workspacePath: string;
  readonly projectPath?: string | null;
  readonly settings: Settings['sandbox'];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly learn?: (secret: { readonly kind: string; readonly value: string }) => void;
  readonly log: Log;
}

/**
 * What a session of a project is given beside its folder: the volumes with its packages, and the variables of the
 * settings. Whatever goes wrong with the packages, the session starts, and is told.
 */
export async function surroundingsOf(query: SurroundingsQuery, signal: AbortSignal): Promise<Surroundings> {
  const projectPath = await realpath(query.projectPath ?? query.workspacePath).catch(() => query.workspacePath);
  const own = setupOf(query.settings, projectPath);
  const variables = variablesOf(own, query.env);
  for (const secret of variables.secrets) query.learn?.(secret);
  const prepared = await packages(query, projectPath, signal);
  // A variable of the settings does not take the place of what makes the packages be found.
  return { ...prepared, environment: { ...variables.environment, ...prepared.environment } };
}

async function packages(query: SurroundingsQuery, projectPath: string, signal: AbortSignal): Promise<Surroundings> {
  const { engine, image, workspacePath, settings, log } = query;
  try {
    const homePath = await realpath(query.homePath);
    const homeId = homeIdOf(homePath);
    const states = await findPrepared(
      {
        workspacePath,
        projectPath,
        imageId: image.id,
        own: setupOf(settings, projectPath).setup,
        records: dependencyRecords(homePath),
        hasVolume: (name) => hasDependencyVolume(engine, homeId, name),
      },
      signal,
    );
    if (states.length === 0) return noSurroundings;
    return surroundingsFrom(states, await imagePath(engine, image.id, signal), projectPath);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`sandbox: what is installed for a project could not be found out: ${messageOf(error)}`);
    return {
      ...noSurroundings,
      warnings: ['What is installed for this project could not be found out; nothing of it is used.'],
    };
  }
}
