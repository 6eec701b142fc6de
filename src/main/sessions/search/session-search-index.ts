import { closeSync, fchmodSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import type { SearchHit } from '@shared/contract/search-answer.ts';
import { messageOf } from '@shared/errors.ts';
import type { Log } from '../../lib/log.ts';
import { type LogPiece, readPieces } from '../log/log-scan.ts';
import { findHits } from './session-search-query.ts';
import { searchTexts } from './searchable-texts.ts';

/** The log of a session as a file. */
export interface LogFile {
  readonly sessionId: string;
  readonly path: string;
  readonly bytes: number;
  /** Another one: the log was made anew, and places in it mean nothing any more. */
  readonly inode: number;
}

export interface FoundTexts {
  readonly hits: readonly Omit<SearchHit, 'title' | 'projectPath'>[];
  /** False: the time was up before every log was looked through. Asked again, it goes on there. */
  readonly isComplete: boolean;
}

/** The texts of all sessions, to be searched. The logs are the truth: the file can be deleted at any time. */
export interface SearchIndex {
  /** Takes in what the logs have that it has not, for `budgetMs` at most, then looks. */
  search(text: string, limit: number, signal: AbortSignal): Promise<FoundTexts>;
  close(): Promise<void>;
}

export interface SearchIndexOptions {
  /** Its file; beside it lie `-wal` and `-shm`. */
  readonly path: string;
  /** The latest first: these are looked through first. */
  readonly logs: () => Promise<readonly LogFile[]>;
  readonly diagnostics: Log;
  readonly budgetMs: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Raised with any change of the tables or of what is taken in: an index of another version is made anew. */
const indexVersion = 1;

/** Texts of about this many characters are taken in at a time (10 to 15 ms), then other work gets a turn. */
const breathCharacters = 64 * 1024;

export function createSearchIndex(options: SearchIndexOptions): SearchIndex {
  let opening: Promise<Database> | null = null;
  /** One search at a time: they share the connection and what is taken in. */
  let tail: Promise<unknown> = Promise.resolve();
  const database = (): Promise<Database> => {
    opening ??= openDatabase(options);
    // Who asked gets the error; the next search opens it anew.
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
  return {
    search: (text, limit, signal) => {
      const answer = tail.then(() => run(text, limit, signal));
      // Who asked gets the error.
      tail = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      await tail;
      // One that never opened has nothing to close.
      const db = await opening?.catch(() => null);
      opening = null;
      db?.close();
    },
  };
}

/** Opens the file; one that is damaged or of another version is made anew. */
async function openDatabase({ path, diagnostics }: SearchIndexOptions): Promise<Database> {
  // Loaded with the first search: a start does not wait for a native library.
  // By `require`: an import of a package from within a packed app's archive is not there in every Electron.
  // What a package of that name gives is what its types say: the one cast at this edge.
  const sqlite = createRequire(import.meta.url)('@photostructure/sqlite') as typeof import('@photostructure/sqlite');
  const { DatabaseSync } = sqlite;
  const open = (): Database => {
    // What it has beside it (`-wal`, `-shm`) gets the rights of the file itself.
    const file = openSync(path, 'a', 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
    const db = new DatabaseSync(path);
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;');
      const version: unknown = Reflect.get(Object(db.prepare('PRAGMA user_version').get()), 'user_version');
      if (version === 0) db.exec(tables);
      else if (version !== indexVersion) throw new Error(`version ${String(version)}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    diagnostics.warn(`The search index is made anew: ${messageOf(error)}`);
    for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
    return open();
  }
}

/** Trigrams find parts of names and languages without spaces. `texts` holds what `found` only points to. */
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
  PRAGMA user_version = ${indexVersion};
`;

interface Place {
  readonly inode: number;
  readonly seq: number;
  readonly offset: number;
}

/** True: the index has all that the logs have. */
async function takeIn(db: Database, options: SearchIndexOptions, signal: AbortSignal): Promise<boolean> {
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
      // One that cannot be read is named by the list of sessions; the others are searched all the same.
      options.diagnostics.warn(`The log of ${log.sessionId} is not searched: ${messageOf(error)}`);
    }
  }
  return true;
}

interface Taking {
  readonly known: Place | null;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

/** False: the time was up before its end. Each MiB is taken in whole or not at all. */
async function takeInLog(db: Database, log: LogFile, { known, signal, isOver }: Taking): Promise<boolean> {
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

async function insert(db: Database, log: LogFile, { events, next }: LogPiece): Promise<void> {
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

function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function placeOf(db: Database, session: string): Place | null {
  const row: unknown = db.prepare('SELECT inode, seq, offset FROM logs WHERE session = ?').get(session);
  if (typeof row !== 'object' || row === null) return null;
  const figure = (name: string): number => Number(Reflect.get(row, name));
  return { inode: figure('inode'), seq: figure('seq'), offset: figure('offset') };
}

function savePlace(db: Database, log: LogFile, place: { readonly seq: number; readonly offset: number }): void {
  db.prepare('INSERT OR REPLACE INTO logs (session, inode, seq, offset) VALUES (?, ?, ?, ?)').run(
    log.sessionId,
    log.inode,
    place.seq,
    place.offset,
  );
}

function forgetMissing(db: Database, present: ReadonlySet<string>): void {
  const rows: readonly unknown[] = db.prepare('SELECT session FROM logs').all();
  const gone = rows.map((row) => String(Reflect.get(Object(row), 'session'))).filter((id) => !present.has(id));
  if (gone.length > 0) inTransaction(db, () => gone.forEach((id) => forget(db, id)));
}

/** The index keeps no texts of its own, so it has to be told what it forgets. */
function forget(db: Database, session: string): void {
  db.prepare("INSERT INTO found (found, rowid, text) SELECT 'delete', id, text FROM texts WHERE session = ?").run(
    session,
  );
  db.prepare('DELETE FROM texts WHERE session = ?').run(session);
  db.prepare('DELETE FROM logs WHERE session = ?').run(session);
}
