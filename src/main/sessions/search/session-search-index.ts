import { rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchHit } from '@shared/contract/search-answer.ts';
import { diagnostics } from '../../lib/log.ts';
import { openIndexFile } from '../../lib/index-file.ts';
import { type LogPiece, readPieces } from '../log/log-scan.ts';
import { findHits } from './session-search-query.ts';
import { searchTexts } from './searchable-texts.ts';

/** A session's log as a file. */
export interface LogFile {
  readonly sessionId: string;
  readonly path: string;
  readonly bytes: number;
  /** If it changes, the log was written again and positions in it are no longer valid. */
  readonly inode: number;
}

export interface FoundTexts {
  readonly hits: readonly Omit<SearchHit, 'title' | 'projectPath'>[];
  /** False: the time was up before every log was read. The next search continues there. */
  readonly isComplete: boolean;
}

/** The searchable texts of all sessions. The file can be deleted at any time, because it is made from the logs. */
export interface SearchIndex {
  /** Adds new texts of the logs for `budgetMs` at most, and then searches. */
  search(text: string, limit: number, signal: AbortSignal): Promise<FoundTexts>;
  close(): Promise<void>;
  /** Removes the file, with every text in it. The next search makes it anew. */
  drop(): Promise<void>;
}

export interface SearchIndexOptions {
  /** Its file. `-wal` and `-shm` are next to it. */
  readonly path: string;
  /** Latest first: these are read first. */
  readonly logs: () => Promise<readonly LogFile[]>;
  readonly budgetMs: number;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Raise it with any change of the tables or of the indexed texts: an index of another version is made again. */
const indexVersion = 1;

/** Adds texts of about this many characters at a time (10 to 15 ms), and then lets other work run. */
const breathCharacters = 64 * 1024;

export function createSearchIndex(options: SearchIndexOptions): SearchIndex {
  let opening: Promise<DatabaseSync> | null = null;
  /** One search at a time, because searches share the connection and the indexing. */
  let tail: Promise<unknown> = Promise.resolve();
  const database = (): Promise<DatabaseSync> => {
    opening ??= openDatabase(options);
    // The caller gets the error, and the next search opens it again.
    opening.catch(() => {
      opening = null;
    });
    return opening;
  };
  const run = async (text: string, limit: number, signal: AbortSignal): Promise<FoundTexts> => {
    signal.throwIfAborted();
    const db = await database();
    const isComplete = await takeIn(db, options, signal);
    return { hits: findHits(db, text, limit), isComplete };
  };
  const letGo = async (): Promise<void> => {
    // There is nothing to close if it never opened.
    const db = await opening?.catch(() => null);
    opening = null;
    db?.close();
  };
  return {
    search: (text, limit, signal) => {
      const answer = tail.then(() => run(text, limit, signal));
      // The caller gets the error.
      tail = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      await tail;
      await letGo();
    },
    drop: () => {
      const done = tail.then(async () => {
        await letGo();
        for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${options.path}${end}`, { force: true });
      });
      tail = done.catch(() => undefined);
      return done;
    },
  };
}

/** Opens the file. A damaged one, or one of another version, is made again. */
async function openDatabase({ path }: SearchIndexOptions): Promise<DatabaseSync> {
  // Loaded with the first search, because a start does not need it.
  const { DatabaseSync: Database } = await import('node:sqlite');
  const settings = 'PRAGMA temp_store = MEMORY;';
  return openIndexFile(Database, { path, tables, version: indexVersion, settings }, (db) => db);
}

/** Trigrams find parts of names, and languages without spaces. `texts` holds the texts that `found` points to. */
const tables = `
  CREATE TABLE logs (session TEXT PRIMARY KEY, inode INTEGER NOT NULL, seq INTEGER NOT NULL, offset INTEGER NOT NULL);
  CREATE TABLE texts (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT, seq INTEGER NOT NULL, at REAL NOT NULL,
    text TEXT NOT NULL
  );
  CREATE INDEX texts_session ON texts (session);
  CREATE VIRTUAL TABLE found USING fts5(
    text, content = 'texts', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1'
  );
`;

interface Place {
  readonly inode: number;
  readonly seq: number;
  readonly offset: number;
}

/** True: the index is up to date with the logs. */
async function takeIn(db: DatabaseSync, options: SearchIndexOptions, signal: AbortSignal): Promise<boolean> {
  const until = options.now() + options.budgetMs;
  const logs = await options.logs();
  forgetMissing(db, new Set(logs.map(({ sessionId }) => sessionId)));
  for (const log of logs) {
    const known = placeOf(db, log.sessionId);
    if (known?.inode === log.inode && known.offset === log.bytes) continue;
    if (options.now() > until) return false;
    try {
      if (!(await takeInLog(db, log, { known, signal, isOver: () => options.now() > until }))) return false;
    } catch (error) {
      signal.throwIfAborted();
      // The list of sessions reports an unreadable log. The others are still searched.
      diagnostics.warn(`The log of ${log.sessionId} is not searched`, error);
    }
  }
  return true;
}

interface Taking {
  readonly known: Place | null;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

/** False: the time was up before the end of the log. Each MiB is added completely or not at all. */
async function takeInLog(db: DatabaseSync, log: LogFile, { known, signal, isOver }: Taking): Promise<boolean> {
  const goesOn = known !== null && known.inode === log.inode && known.offset <= log.bytes;
  if (!goesOn) inTransaction(db, () => forget(db, log.sessionId));
  const from = goesOn ? { seq: known.seq, offset: known.offset } : { seq: 0, offset: 0 };
  for await (const { events, next } of readPieces(log.path, from)) {
    await insert(db, log, { events, next });
    signal.throwIfAborted();
    if (isOver() && next.offset < log.bytes) return false;
  }
  return true;
}

async function insert(db: DatabaseSync, log: LogFile, { events, next }: LogPiece): Promise<void> {
  const add = db.prepare('INSERT INTO texts (session, kind, ref, seq, at, text) VALUES (?, ?, ?, ?, ?, ?)');
  const index = db.prepare('INSERT INTO found (rowid, text) VALUES (?, ?)');
  let characters = 0;
  db.exec('BEGIN');
  try {
    for (const event of events) {
      for (const { kind, ref, text } of searchTexts(event)) {
        const { lastInsertRowid } = add.run(log.sessionId, kind, ref, event.seq, event.at, text);
        index.run(lastInsertRowid, text);
        characters += text.length;
      }
      if (characters < breathCharacters) continue;
      characters = 0;
      await nextTurn();
    }
    savePlace(db, log, next);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function placeOf(db: DatabaseSync, session: string): Place | null {
  const row: unknown = db.prepare('SELECT inode, seq, offset FROM logs WHERE session = ?').get(session);
  if (typeof row !== 'object' || row === null) return null;
  const figure = (name: string): number => Number(Reflect.get(row, name));
  return { inode: figure('inode'), seq: figure('seq'), offset: figure('offset') };
}

function savePlace(db: DatabaseSync, log: LogFile, place: { readonly seq: number; readonly offset: number }): void {
  db.prepare('INSERT OR REPLACE INTO logs (session, inode, seq, offset) VALUES (?, ?, ?, ?)').run(
    log.sessionId,
    log.inode,
    place.seq,
    place.offset,
  );
}

function forgetMissing(db: DatabaseSync, present: ReadonlySet<string>): void {
  const rows: readonly unknown[] = db.prepare('SELECT session FROM logs').all();
  const gone = rows.map((row) => String(Reflect.get(Object(row), 'session'))).filter((id) => !present.has(id));
  if (gone.length > 0) inTransaction(db, () => gone.forEach((id) => forget(db, id)));
}

/** The index stores no texts itself, so each deletion must pass the deleted text. */
function forget(db: DatabaseSync, session: string): void {
  db.prepare("INSERT INTO found (found, rowid, text) SELECT 'delete', id, text FROM texts WHERE session = ?").run(
    session,
  );
  db.prepare('DELETE FROM texts WHERE session = ?').run(session);
  db.prepare('DELETE FROM logs WHERE session = ?').run(session);
}
