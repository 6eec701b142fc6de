import { randomInt } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { LOG_VERSION, type EventOf, type NewEvent, type SessionEvent } from '@shared/events/events.ts';
import { emptyMoney } from '@shared/money/session-money.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { type FileLock, tryLock } from '../../lib/files/file-lock.ts';
import { isDiskFull, makeFolder } from '../../lib/files/json-file.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { EventLog } from '../log/event-log.ts';
import { createLiveJournal, type LiveJournal } from '../journal/live-journal.ts';
import type { Redactor } from '../log/redactor.ts';
import type { TreeMember } from '../children/session-tree.ts';
import type { LogFile } from '../search/session-search-index.ts';
import { firstOpenCallStartedAt, crashRepairEvents, takenBackInLog } from './crash-repair.ts';
import { saveSnapshot, type Snapshot } from './state-snapshot.ts';
import { findTouchedFiles, type TouchedFiles } from './touched-files.ts';
import { saveSummary, type StoredSummary, summaryOf } from './stored-summary.ts';
import { findLogs, findSession, isSessionId, listSessions, membersOf } from './session-list.ts';
import { readEvents } from '../log/log-scan.ts';
import {
  baselinePath,
  mustExist,
  placeOf,
  startFold,
  sizeOf,
  unreadable,
  viewSession,
  withProjectKey,
  type SessionFold,
  type SessionPaths,
  type SessionView,
} from './session-view.ts';

interface NewSession {
  /** From `newSessionId`, if the caller needs it earlier (for a workspace named after it). */
  readonly id?: string;
  readonly title: string;
  readonly projectPath: string | null;
  readonly workspace: EventOf<'session-created'>['workspace'];
  readonly parentId?: string | null;
  readonly groupId?: string | null;
  readonly project?: string | undefined;
  readonly tree?: EventOf<'session-created'>['tree'];
  readonly fenced?: EventOf<'session-created'>['fenced'];
}

/** All sessions of a home. Each has one writer. Everything but the logs and blobs can be deleted and is made again. */
export interface SessionStore {
  newSessionId(): string;
  /** Rejects with `conflict` if the id is taken, and with `disk-full`. */
  create(session: NewSession): Promise<LiveJournal>;
  /**
   * Opens a session for work: checks and repairs the log, and ends what a crash cut off. Rejects with `not-found`,
   * `conflict` (open elsewhere), `log-version`, or `log-damaged` if not a single record can be read. Nothing is ever
   * deleted.
   */
  open(sessionId: string): Promise<LiveJournal>;
  /**
   * `whole` reads and checks every record. Otherwise the part before a snapshot is taken from the snapshot. Rejects
   * with `not-found`, `log-version`, or `log-damaged` as above.
   */
  view(sessionId: string, how?: 'whole'): Promise<SessionView>;
  /** Latest first. A session that cannot be read is listed with its `problem`. */
  list(): Promise<readonly StoredSummary[]>;
  /** The place of each session in its tree. It never changes, so only new sessions are read. */
  members(): Promise<readonly TreeMember[]>;
  /** The id that `text` means: an id, the beginning of exactly one, or `last`. Rejects: `not-found`, `bad-input`. */
  find(text: string): Promise<string>;
  /** The log files, latest session first. */
  logFiles(): Promise<readonly LogFile[]>;
  /** The folder with the log and everything that belongs to it. */
  folderOf(sessionId: string): string;
}

/** A session whose program ended while something of it ran. */
export interface CutOff {
  /** The file with the old contents. */
  readonly baselinePath: string;
  readonly state: SessionState;
  /** Whether a call began and did not end. */
  readonly hasOpenCall: boolean;
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

export interface SessionStoreOptions {
  /** `sessions` under the home. Created when first needed. */
  readonly folder: string;
  readonly appVersion: string;
  readonly blobs: Blobs;
  readonly redactor: Redactor;
  readonly now: () => number;
  /** The changes to files that were not recorded because the program died; absent: they are not looked for. */
  readonly recover?: (cut: CutOff) => Promise<readonly NewEvent[]>;
}

export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const pathsOf = (sessionId: string): SessionPaths => {
    if (!isSessionId(sessionId)) throw new AppError('not-found', `The session "${sessionId}" was not found.`);
    const folder = join(options.folder, sessionId);
    return {
      folder,
      log: join(folder, 'events.jsonl'),
      snapshot: join(folder, 'snapshot.json'),
      summary: join(folder, 'summary.json'),
      lock: join(folder, 'lock'),
    };
  };
  let known: ReadonlyMap<string, TreeMember> = new Map();
  return {
    newSessionId: () => newSessionId(options.now()),
    create: async (session) => createSession(options, pathsOf(session.id ?? newSessionId(options.now())), session),
    open: async (sessionId) => openSession(options, pathsOf(sessionId), sessionId),
    view: async (sessionId, how) => viewSession(pathsOf(sessionId), sessionId, how === 'whole'),
    list: () => listSessions(options, pathsOf),
    members: async () => {
      const found = await membersOf(options, pathsOf, known);
      known = found.known;
      return found.members;
    },
    find: (text) => findSession(options, pathsOf, text),
    logFiles: () => findLogs(options, pathsOf),
    folderOf: (sessionId) => pathsOf(sessionId).folder,
  };
}

/**
 * A unique id that sorts by time, to the millisecond: `20250131-094502-k3f9a2b7`. Its last part is the millisecond as
 * two digits of base 36, and six random digits.
 */
function newSessionId(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/\D/g, '');
  const millisecond = Number(digits.slice(14, 17)).toString(36).padStart(2, '0');
  const chance = randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${millisecond}${chance}`;
}

async function createSession(
  options: SessionStoreOptions,
  paths: SessionPaths,
  session: NewSession,
): Promise<LiveJournal> {
  const sessionId = basename(paths.folder);
  return withLock(paths, async (release) => {
    const log = EventLog.create(paths.log);
    const folded = { state: emptySession, money: emptyMoney };
    const projectPath = session.projectPath === null ? null : await projectKey(session.projectPath);
    return begin(openJournal(options, paths, { sessionId, log, folded, release }), log, [
      {
        type: 'session-created',
        logVersion: LOG_VERSION,
        sessionId,
        appVersion: options.appVersion,
        title: session.title,
        projectPath,
        workspace: session.workspace,
        parentId: session.parentId ?? null,
        groupId: session.groupId ?? null,
        ...(session.project === undefined ? {} : { project: session.project }),
        ...(session.tree === undefined ? {} : { tree: session.tree }),
        ...(session.fenced === undefined ? {} : { fenced: session.fenced }),
      },
    ]);
  });
}

async function openSession(options: SessionStoreOptions, paths: SessionPaths, sessionId: string): Promise<LiveJournal> {
  await mustExist(paths, sessionId);
  return withLock(paths, async (release) => {
    await removeLeftovers(paths.folder);
    const { folded, snapshot, onEvent } = await startFold(paths, true);
    const from = snapshot ? { from: placeOf(snapshot), marks: snapshot.marks } : {};
    const log = await EventLog.open({ path: paths.log, onEvent, ...from });
    if (log.lastSeq === 0) {
      log.close();
      throw unreadable(sessionId);
    }
    folded.state = await withProjectKey(folded.state);
    const repaired = log.repairs.map((repair): NewEvent => ({ type: 'session-repaired', ...repair }));
    const ends = crashRepairEvents(folded.state, await touchedSinceCrash(folded.state));
    const changes = await missingChanges(options, paths, folded.state).catch((error: unknown) => {
      log.close();
      throw error;
    });
    const journal = openJournal(options, paths, { sessionId, log, folded, release });
    await begin(journal, log, [...repaired, ...changes, ...ends]);
    await rm(baselinePath(paths.folder), { force: true });
    return journal;
  });
}

/** Changes that did not reach the log. Rejects with `timeout` if the drive is silent: then they are found later. */
async function missingChanges(
  options: SessionStoreOptions,
  paths: SessionPaths,
  state: SessionState,
): Promise<readonly NewEvent[]> {
  return [...(await recovered(options, paths, state)), ...(await takenBackInLog(state, options.blobs))];
}

async function recovered(
  { recover }: SessionStoreOptions,
  paths: SessionPaths,
  state: SessionState,
): Promise<readonly NewEvent[]> {
  const path = baselinePath(paths.folder);
  const end = await sizeOf(paths.log);
  if (recover === undefined || end === null || (await sizeOf(path)) === null) return [];
  return recover({
    baselinePath: path,
    state,
    hasOpenCall: firstOpenCallStartedAt(state) !== null,
    read: (fromSeq) => readEvents(paths.log, { seq: 0, offset: 0 }, end, fromSeq),
  });
}

/** Changes to the workspace since the first call whose outcome is unknown. Null: no call was cut off. */
async function touchedSinceCrash(state: SessionState): Promise<TouchedFiles | null> {
  const since = firstOpenCallStartedAt(state);
  if (since === null || state.workspace === null) return null;
  const files = state.changes.filter(({ last }) => last.side === 'workspace' && last.after !== null);
  return findTouchedFiles(
    state.workspace.path,
    since,
    files.map(({ path }) => path),
  );
}

/** Holds the session's lock during opening. After that the journal owns it; on failure it is released. */
async function withLock<T>(paths: SessionPaths, work: (release: () => Promise<void>) => Promise<T>): Promise<T> {
  try {
    await makeFolder(paths.folder);
    const lock = await lockSession(paths);
    try {
      return await work(() => lock.release());
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new AppError('disk-full', 'The session could not be opened: the disk is full.', {
      hint: 'Free some space and try again.',
      cause: error,
    });
  }
}

async function lockSession(paths: SessionPaths): Promise<FileLock> {
  const attempt = await tryLock(paths.lock);
  if (attempt.type === 'taken') return attempt.lock;
  const session = `Session ${basename(paths.folder)}`;
  if (attempt.pid === null) {
    throw new AppError('conflict', `Another Dewpoint is opening ${session}.`, { hint: 'Try again.' });
  }
  throw new AppError('conflict', `${session} is open in another Dewpoint (process ${attempt.pid}).`, {
    hint: 'Close it there first.',
  });
}

/** Appends the first events of an opened log. Closes the log if that fails. */
async function begin(journal: LiveJournal, log: EventLog, events: readonly NewEvent[]): Promise<LiveJournal> {
  try {
    for (const event of events) await journal.append(event);
    return journal;
  } catch (error) {
    log.close();
    throw error;
  }
}

/** Removes temporary files of writes that a crash cut off. Under the lock they belong to nobody. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^\.[0-9a-f]{12}\.tmp$/.test(name) || name === 'events.jsonl.repair.tmp')
      await rm(join(folder, name), { force: true });
  }
}

interface Opened {
  readonly sessionId: string;
  readonly log: EventLog;
  readonly folded: SessionFold;
  readonly release: () => Promise<void>;
}

function openJournal(options: SessionStoreOptions, paths: SessionPaths, opened: Opened): LiveJournal {
  const { sessionId, log, folded, release } = opened;
  const { blobs, redactor, now } = options;
  const save = async (snapshot: Snapshot): Promise<void> => {
    await saveSnapshot(paths.snapshot, paths.log, snapshot);
    await saveSummary(paths.summary, summaryOf(sessionId, snapshot, snapshot.offset));
  };
  return createLiveJournal({ sessionId, log, blobs, redactor, ...folded, now, save, onClosed: release });
}
