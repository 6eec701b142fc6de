import { AppError, messageOf } from '@shared/errors.ts';
import { mainPlaces, partAt, type DependencyPart, type Ecosystem, type OwnSetup } from './dependency-part.ts';
import { findParts, keyOf } from './find-parts.ts';
import { readProject } from './package-files.ts';
import type { DependencyRecord, DependencyRecords } from './dependency-records.ts';

/** The state of one part of a project. */
export interface PartState {
  readonly part: DependencyPart;
  readonly key: string;
  /** `outdated`: the project's files have changed since. The older packages are used meanwhile. */
  readonly state: 'ready' | 'outdated' | 'failed' | 'missing';
  /** The record of the mounted packages, or of the failed attempt. */
  readonly record: DependencyRecord | null;
}

export interface PreparedQuery {
  /** A real path: the project, or a copy of it. */
  readonly workspacePath: string;
  /** The project itself. */
  readonly projectPath: string;
  readonly imageId: string;
  readonly own: OwnSetup;
  /** The session that asks. It also gets packages that its own commands changed. Null: no session. */
  readonly sessionId: string | null;
  /** Ignores changes by commands. */
  readonly anew?: boolean;
  readonly records: DependencyRecords;
  readonly hasVolume: (name: string) => Promise<boolean>;
}

/**
 * Finds out which packages of a project are installed. Reads a few files and starts nothing. A project that cannot
 * be read has no parts.
 */
export async function findPrepared(query: PreparedQuery, signal: AbortSignal): Promise<readonly PartState[]> {
  const found = await readProject(query.workspacePath, signal).catch((error: unknown) => {
    if (signal.aborted) throw new AppError('cancelled', 'It was cancelled.', { cause: messageOf(error) });
    return null;
  });
  if (found === null) return [];
  const parts = findParts(found.top, query.own, found.below);
  const usable = await usableRecords(query);
  const states: PartState[] = [];
  for (const part of parts) {
    const key = keyOf(part, found.texts, query);
    states.push({ part, key, ...(await stateOf(query, { part, key, usable })) });
  }
  for (const ecosystem of ['python', 'javascript'] as const) {
    if (parts.some(({ place }) => place === mainPlaces[ecosystem])) continue;
    const part = unnamedPart(ecosystem);
    const key = keyOf(part, found.texts, query);
    const record = usable.find((one) => one.changed !== undefined && isOf(one, part));
    if (record !== undefined) states.push({ part, key, state: 'ready', record });
  }
  return states;
}

/** The part for packages that commands installed in a project that names none itself. */
export function unnamedPart(ecosystem: Ecosystem): DependencyPart {
  const tool = ecosystem === 'python' ? 'pip' : 'npm';
  return partAt({ ecosystem, tool, files: [], commands: [], isNeeded: false, hosts: [] }, '', true);
}

/** Records of this project and image whose volume exists and that this session may use, newest first. */
async function usableRecords(query: PreparedQuery): Promise<readonly DependencyRecord[]> {
  const usable: DependencyRecord[] = [];
  for (const record of await query.records.list()) {
    const { changed, outcome } = record;
    if (record.projectPath !== query.projectPath || record.imageId !== query.imageId) continue;
    if (changed !== undefined && query.anew === true) continue;
    if (changed !== undefined && !changed.isForProject && changed.sessionId !== query.sessionId) continue;
    if (outcome.type === 'ready' && (await query.hasVolume(outcome.volume))) usable.push(record);
  }
  return usable;
}

function isOf(record: DependencyRecord, part: DependencyPart): boolean {
  return record.ecosystem === part.ecosystem && (record.folder ?? '') === part.folder;
}

interface StateQuery {
  readonly part: DependencyPart;
  readonly key: string;
  readonly usable: readonly DependencyRecord[];
}

async function stateOf(
  { records, hasVolume }: PreparedQuery,
  { part, key, usable }: StateQuery,
): Promise<Pick<PartState, 'state' | 'record'>> {
  const changed = usable.find((one) => one.changed?.filesKey === key && isOf(one, part));
  if (changed !== undefined) return { state: 'ready', record: changed };
  const record = await records.read(key);
  if (record?.outcome.type === 'ready' && (await hasVolume(record.outcome.volume))) return { state: 'ready', record };
  if (record?.outcome.type === 'failed') return { state: 'failed', record };
  const older = usable.find((one) => isOf(one, part));
  return older === undefined ? { state: 'missing', record: null } : { state: 'outdated', record: older };
}
