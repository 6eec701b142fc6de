import type { DatabaseSync } from 'node:sqlite';

/** All writes of `work` are kept, or none. Waits for another writer before the first read. Throws what `work` throws. */
export function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
