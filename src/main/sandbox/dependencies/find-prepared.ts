import { AppError, messageOf } from '@shared/errors.ts';
import type { DependencyPart, Ecosystem, OwnSetup } from './dependency-part.ts';
import { findParts, keyOf } from './find-parts.ts';
import { readProjectTop } from './project-texts.ts';
import type { DependencyRecord, DependencyRecords } from './records.ts';

/** How it stands with one part of a project. */
export interface PartState {
  readonly part: DependencyPart;
  readonly key: string;
  /** `outdated`: the project says something else by now; what was installed before is used meanwhile. */
  readonly state: 'ready' | 'outdated' | 'failed' | 'missing';
  /** Of what is mounted, or of the try that failed. */
  readonly record: DependencyRecord | null;
}

export interface PreparedQuery {
  /** A real path: the project, or a copy of it. */
  readonly workspacePath: string;
  /** The project itself. */
  readonly projectPath: string;
  readonly imageId: string;
  readonly own: OwnSetup;
  readonly records: DependencyRecords;
  readonly hasVolume: (name: string) => Promise<boolean>;
}

/** What is installed for a project and what is not. Reads a few files; starts nothing. A project that cannot be read has no parts. */
export async function findPrepared(query: PreparedQuery, signal: AbortSignal): Promise<readonly PartState[]> {
  const top = await readProjectTop(query.workspacePath, signal).catch((error: unknown) => {
    if (signal.aborted) throw new AppError('cancelled', 'It was cancelled.', { cause: messageOf(error) });
    return null;
  });
  if (top === null) return [];
  const states: PartState[] = [];
  for (const part of findParts(top, query.own)) {
    const key = keyOf(part, top.texts, query.imageId);
    states.push({ part, key, ...(await stateOf(query, part.ecosystem, key)) });
  }
  return states;
}

async function stateOf(
  { records, imageId, projectPath, hasVolume }: PreparedQuery,
  ecosystem: Ecosystem,
  key: string,
): Promise<Pick<PartState, 'state' | 'record'>> {
  const usable = async (record: DependencyRecord): Promise<boolean> =>
    record.outcome.type === 'ready' && (await hasVolume(record.outcome.volume));
  const record = await records.read(key);
  if (record !== null && (await usable(record))) return { state: 'ready', record };
  if (record?.outcome.type === 'failed') return { state: 'failed', record };
  for (const older of await records.list()) {
    const isOfThis = older.projectPath === projectPath && older.ecosystem === ecosystem && older.imageId === imageId;
    if (isOfThis && (await usable(older))) return { state: 'outdated', record: older };
  }
  return { state: 'missing', record: null };
}
