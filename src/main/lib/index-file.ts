import { closeSync, fchmodSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { diagnostics } from './log.ts';

/** A SQLite file of which everything can be made again. */
export interface IndexFile {
  readonly path: string;
  /** Statements that make the tables of an empty file. */
  readonly tables: string;
  /** Of the tables. A file of another version is made anew. */
  readonly version: number;
  /** More PRAGMA statements, run each time it is opened. */
  readonly settings?: string;
  /** How long to wait for another process that writes. Absent: ten seconds. */
  readonly waitMs?: number;
}

/**
 * Opens the file, for its owner only, and returns what `use` makes of it. A damaged file, or one of another version, is
 * removed and made anew. One that another process holds too long is right: it stays, and the error is thrown.
 * `Database`: given by the caller, who decides when SQLite is loaded.
 */
export function openIndexFile<T>(Database: typeof DatabaseSync, file: IndexFile, use: (db: DatabaseSync) => T): T {
  try {
    return open(Database, file, use);
  } catch (error) {
    if (error instanceof Error && /locked|busy/u.test(error.message)) throw error;
    diagnostics.warn('An index is made anew', error);
    removeIndexFile(file.path);
    return open(Database, file, use);
  }
}

/** Removes the file, with what SQLite keeps beside it. */
export function removeIndexFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function open<T>(Database: typeof DatabaseSync, file: IndexFile, use: (db: DatabaseSync) => T): T {
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  // `-wal` and `-shm` get the mode of this file.
  const created = openSync(file.path, 'a', 0o600);
  fchmodSync(created, 0o600);
  closeSync(created);
  const db = new Database(file.path, { timeout: file.waitMs ?? 10_000 });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${file.settings ?? ''}`);
    const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${file.tables} PRAGMA user_version = ${file.version}; COMMIT;`);
    else if (version !== file.version) throw new Error(`The index has version ${String(version)}.`);
    return use(db);
  } catch (error) {
    db.close();
    throw error;
  }
}
