import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIndexFile } from '../../../src/main/lib/index-file.ts';

/** Catches: an index that can never be opened again, and one that is removed while another process writes to it. */
describe('an index file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'index-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (version = 1): DatabaseSync =>
    openIndexFile(
      DatabaseSync,
      { path: join(folder, 'below', 'a.sqlite'), tables: 'CREATE TABLE words (word TEXT);', version, waitMs: 50 },
      (db) => db,
    );
  const words = (db: DatabaseSync): unknown[] => db.prepare('SELECT word FROM words').all();

  it('keeps what was written, for its owner only', () => {
    const db = open();
    db.exec("INSERT INTO words VALUES ('a')");
    db.close();
    const again = open();
    expect(words(again)).toEqual([{ word: 'a' }]);
    again.close();
    expect(statSync(join(folder, 'below', 'a.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('is made anew when it is damaged or of another version', () => {
    const db = open();
    db.exec("INSERT INTO words VALUES ('a')");
    db.close();
    const newer = open(2);
    expect(words(newer)).toEqual([]);
    newer.close();
    writeFileSync(join(folder, 'below', 'a.sqlite'), 'no database at all');
    const mended = open(2);
    expect(words(mended)).toEqual([]);
    mended.close();
  });

  it('stays as it is while another process holds it', () => {
    const db = open();
    db.exec("INSERT INTO words VALUES ('a')");
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
    expect(() => open()).toThrow('locked');
    db.exec('COMMIT; PRAGMA locking_mode = NORMAL;');
    expect(words(db)).toEqual([{ word: 'a' }]);
    db.close();
    const again = open();
    expect(words(again)).toEqual([{ word: 'a' }]);
    again.close();
  });
});
