import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openIndexFile } from '../../lib/index-file.ts';
import { inTransaction } from '../../lib/in-transaction.ts';
import type { FileTags } from '../tags/tag.ts';

/** What is kept of a file: the fingerprint it had, and the key of its tags, which follows from its text and language. */
export interface KeptFile {
  readonly fingerprint: string;
  readonly key: string;
}

/**
 * The tags of files on disk. All of it can be made again from the projects, so the file can be deleted at any time, and a
 * damaged one is made anew. Writes of one call are kept completely or not at all.
 */
export interface TagStore {
  readonly files: (project: string) => ReadonlyMap<string, KeptFile>;
  readonly tags: (key: string) => FileTags | null;
  readonly put: (
    project: string,
    files: readonly (KeptFile & { readonly path: string; readonly tags: FileTags })[],
  ) => void;
  readonly remove: (project: string, paths: readonly string[]) => void;
  readonly close: () => void;
}

/** Raise it with any change of the tables, the queries or the tags: tags of another version are made again. */
const storeVersion = 2;
const keptDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

const tables = `
  CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, usedAt REAL NOT NULL);
  CREATE TABLE files (
    project INTEGER NOT NULL, path TEXT NOT NULL, fingerprint TEXT NOT NULL, key TEXT NOT NULL,
    PRIMARY KEY (project, path)
  ) WITHOUT ROWID;
  CREATE INDEX files_key ON files (key);
  CREATE TABLE tags (key TEXT PRIMARY KEY, tags TEXT NOT NULL) WITHOUT ROWID;
`;

export function openTagStore(path: string, now: number): TagStore {
  const settings = 'PRAGMA secure_delete = ON;';
  return openIndexFile(DatabaseSync, { path, tables, version: storeVersion, settings }, (db) => tagStore(db, now));
}

function tagStore(db: DatabaseSync, now: number): TagStore {
  removeUnused(db, now);
  const idOf = (project: string): number => {
    db.prepare(
      'INSERT INTO projects (name, usedAt) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET usedAt = excluded.usedAt',
    ).run(project, now);
    return z.object({ id: z.number() }).parse(db.prepare('SELECT id FROM projects WHERE name = ?').get(project)).id;
  };
  return {
    files: (project) => {
      const rows = db.prepare('SELECT path, fingerprint, key FROM files WHERE project = ?').all(idOf(project));
      return new Map(fileRows.parse(rows).map(({ path: file, ...kept }) => [file, kept]));
    },
    tags: (key) => {
      const row = db.prepare('SELECT tags FROM tags WHERE key = ?').get(key);
      return row === undefined ? null : unpacked(String(row['tags']));
    },
    put: (project, files) => {
      const id = idOf(project);
      inTransaction(db, () => {
        const file = db.prepare('INSERT OR REPLACE INTO files (project, path, fingerprint, key) VALUES (?, ?, ?, ?)');
        const tags = db.prepare('INSERT OR IGNORE INTO tags (key, tags) VALUES (?, ?)');
        for (const one of files) {
          tags.run(one.key, packed(one.tags));
          file.run(id, one.path, one.fingerprint, one.key);
        }
      });
    },
    remove: (project, paths) => {
      const id = idOf(project);
      inTransaction(db, () => {
        const gone = db.prepare('DELETE FROM files WHERE project = ? AND path = ?');
        for (const one of paths) gone.run(id, one);
      });
      removeOrphans(db);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    close: () => db.close(),
  };
}

const fileRows = z.array(z.object({ path: z.string(), fingerprint: z.string(), key: z.string() }));

/** Whether an error says that the file is damaged: SQLITE_CORRUPT or SQLITE_NOTADB. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && [11, 26].includes(Number(Reflect.get(error, 'errcode')) % 256);
}

function removeUnused(db: DatabaseSync, now: number): void {
  const before = now - keptDays * dayMs;
  db.prepare('DELETE FROM files WHERE project IN (SELECT id FROM projects WHERE usedAt < ?)').run(before);
  const { changes } = db.prepare('DELETE FROM projects WHERE usedAt < ?').run(before);
  if (Number(changes) > 0) removeOrphans(db);
}

/** What a file no longer says, or a file that is hidden now, leaves the disk as well. */
function removeOrphans(db: DatabaseSync): void {
  db.exec('DELETE FROM tags WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.key = tags.key)');
}

const packedSchema = z.object({
  d: z.array(z.tuple([z.string(), z.string(), z.number(), z.number(), z.string(), z.string().nullable()])),
  r: z.array(z.tuple([z.string()]).rest(z.number())),
  c: z.boolean(),
});

/** A third of the size of the plain JSON: references by name, with their lines. */
function packed({ definitions, references, isCut }: FileTags): string {
  const lines = new Map<string, number[]>();
  for (const { name, line } of references) {
    const known = lines.get(name);
    if (known === undefined) lines.set(name, [line]);
    else known.push(line);
  }
  return JSON.stringify({
    d: definitions.map((one) => [one.name, one.what, one.line, one.endLine, one.signature, one.container]),
    r: [...lines].map(([name, places]) => [name, ...places]),
    c: isCut,
  });
}

function unpacked(text: string): FileTags {
  const { d, r, c } = packedSchema.parse(JSON.parse(text));
  return {
    definitions: d.map(([name, what, line, endLine, signature, container]) => ({
      name,
      what,
      line,
      endLine,
      signature,
      container,
    })),
    references: r.flatMap(([name, ...lines]) => lines.map((line) => ({ name, line }))),
    isCut: c,
  };
}
