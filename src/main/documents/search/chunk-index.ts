import { DatabaseSync } from 'node:sqlite';
import type { FoundPart } from '@shared/documents/document-search.ts';
import { openIndexFile } from '../../lib/index-file.ts';
import { searchWords, wordsApart } from '../../lib/search-words.ts';
import { inTransaction } from '../../lib/in-transaction.ts';
import type { DocumentChunk } from './document-chunks.ts';
import { chunkVectors, vectorTables, type ChunkVectors, type ScoredChunk, type VectorQuery } from './chunk-vectors.ts';

/** A version of a file: its path, and what changes with its content. */
export interface IndexedFile {
  readonly path: string;
  readonly fingerprint: string;
}

/** The chunks of the documents of all projects. Its file can be deleted at any time. */
export interface ChunkIndex {
  /** Takes these files into the search. Returns those that are not in the index yet: they are added then. */
  readonly take: (files: readonly IndexedFile[]) => readonly IndexedFile[];
  readonly add: (file: IndexedFile, chunks: readonly DocumentChunk[]) => void;
  /** The chunks of the files that were taken or added that fit the words best, best first. `by`: also by meaning. */
  readonly find: (words: string, limit: number, by?: VectorQuery) => readonly FoundPart[];
  /**
   * Removes all parts of the files with these paths, or below them, and their text from the file of the index. Who
   * opened the index before can add none of them any more.
   */
  readonly forgetPaths: (paths: readonly string[]) => void;
  readonly vectors: Omit<ChunkVectors, 'nearest'>;
  readonly close: () => void;
}

/** Raise it with any change of the tables or of how text is cut: an index of another version is made again. */
const indexVersion = 6;
/** Files that no search looked at for so long are dropped. */
const keptDays = 60;
const mostWords = 32;
/** The headings and the path say more about a chunk than one word in it. */
const titleWeight = 2;
/** So that one long document does not fill the results. */
const chunksPerFile = 3;
/** Of each kind. */
const mostRanked = 120;
/** Chosen by questions that the published figure does not use. */
const meaningWeight = 0.5;

/** No id is given twice: a search that is under way would take the part of another file for the one that is gone. */
const tables = `
  CREATE TABLE files (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, fingerprint TEXT NOT NULL, day INTEGER NOT NULL);
  CREATE UNIQUE INDEX files_key ON files (path, fingerprint);
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, from_line INTEGER NOT NULL, to_line INTEGER NOT NULL, page INTEGER,
    title TEXT NOT NULL, text TEXT NOT NULL
  );
  CREATE TABLE forgotten (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
  CREATE INDEX chunks_file ON chunks (file);
  CREATE VIRTUAL TABLE found USING fts5(
    title, text, content = 'chunks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
  );
  ${vectorTables}
`;

/** `day` counts from 1970. */
export function openChunkIndex(path: string, day: number): ChunkIndex {
  const settings = 'PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;';
  return openIndexFile(DatabaseSync, { path, tables, version: indexVersion, settings }, (db) => chunkIndex(db, day));
}

function chunkIndex(db: DatabaseSync, day: number): ChunkIndex {
  forgetUnused(db, day);
  db.exec('CREATE TEMP TABLE asked (file INTEGER PRIMARY KEY)');
  const isForgotten = forgottenSince(db);
  const vectors = chunkVectors(db, day);
  vectors.forgetUnused(day - keptDays);
  return {
    vectors,
    take: (files) => {
      let missing: readonly IndexedFile[] = [];
      inTransaction(db, () => (missing = files.filter((file) => !ask(db, file, day))));
      return missing;
    },
    add: (file, chunks) =>
      inTransaction(db, () => {
        if (!isForgotten(file.path)) addFile(db, file, { chunks, day });
      }),
    find: (words, limit, by) => {
      const byWords = fittingChunks(db, words, mostRanked);
      const byMeaning = by === undefined ? [] : vectors.nearest(by, mostRanked);
      return bestChunks(db, joinScores(byWords, byMeaning), limit);
    },
    forgetPaths: (paths) => {
      inTransaction(db, () => {
        const find = db.prepare('SELECT id, path FROM files WHERE path = ? OR substr(path, 1, length(?)) = ?');
        const note = db.prepare('INSERT OR REPLACE INTO forgotten (name) VALUES (?)');
        for (const path of paths) {
          note.run(path);
          forgetAll(db, find.all(path, `${path}/`, `${path}/`));
        }
        // What is removed stays in the index of words until its parts are put together.
        db.exec("INSERT INTO found (found) VALUES ('optimize')");
      });
      db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    },
    close: () => db.close(),
  };
}

/** Whether a file, or a folder that it is in, was forgotten after this moment. */
function forgottenSince(db: DatabaseSync): (path: string) => boolean {
  const last: unknown = Reflect.get(Object(db.prepare('SELECT max(id) AS id FROM forgotten').get()), 'id');
  const since = typeof last === 'number' ? last : 0;
  const later = db.prepare(
    "SELECT 1 FROM forgotten WHERE id > ? AND (name = ? OR substr(?, 1, length(name) + 1) = name || '/')",
  );
  return (path) => later.get(since, path, path) !== undefined;
}

function addFile(
  db: DatabaseSync,
  { path, fingerprint }: IndexedFile,
  { chunks, day }: { readonly chunks: readonly DocumentChunk[]; readonly day: number },
): void {
  const file = db
    .prepare('INSERT OR IGNORE INTO files (path, fingerprint, day) VALUES (?, ?, ?)')
    .run(path, fingerprint, day);
  ask(db, { path, fingerprint }, day);
  if (file.changes === 0) return;
  const add = db.prepare('INSERT INTO chunks (file, from_line, to_line, page, title, text) VALUES (?, ?, ?, ?, ?, ?)');
  const index = db.prepare('INSERT INTO found (rowid, title, text) VALUES (?, ?, ?)');
  for (const { fromLine, toLine, page, titles, text } of chunks) {
    const title = titles.join(' › ');
    const { lastInsertRowid } = add.run(file.lastInsertRowid, fromLine, toLine, page, title, text);
    index.run(lastInsertRowid, wordsApart(titleText(path, title)), wordsApart(text));
  }
}

/** The words of a path count like those of a heading. */
function titleText(path: string, title: string): string {
  return `${path.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} ${title}`;
}

/** Whether the file is in the index. If so, the search looks into it. */
function ask(db: DatabaseSync, { path, fingerprint }: IndexedFile, day: number): boolean {
  const known = db.prepare('SELECT id FROM files WHERE path = ? AND fingerprint = ?').get(path, fingerprint);
  const id: unknown = Reflect.get(Object(known), 'id');
  if (typeof id !== 'number') return false;
  db.prepare('INSERT OR IGNORE INTO asked (file) VALUES (?)').run(id);
  db.prepare('UPDATE files SET day = ? WHERE id = ? AND day < ?').run(day, id, day);
  return true;
}

/** Best first. */
function fittingChunks(db: DatabaseSync, words: string, most: number): readonly ScoredChunk[] {
  const match = matchOf(words);
  if (match === '') return [];
  const rows: readonly unknown[] = db
    .prepare(
      `SELECT chunks.id AS id, -bm25(found, ${titleWeight}, 1) AS score FROM found JOIN chunks ON chunks.id = found.rowid
      WHERE found MATCH ? AND chunks.file IN (SELECT file FROM asked)
      ORDER BY score DESC, chunks.id LIMIT ?`,
    )
    .all(match, most);
  return rows.map((row) => ({
    id: Number(Reflect.get(Object(row), 'id')),
    score: Number(Reflect.get(Object(row), 'score')),
  }));
}

/**
 * Adds up two kinds of scores. Each counts in relation to its best: words from zero, and nearness from the least of those
 * that are near, because every model has a range of its own.
 */
function joinScores(byWords: readonly ScoredChunk[], byMeaning: readonly ScoredChunk[]): readonly number[] {
  const scores = new Map<number, number>();
  const add = (found: readonly ScoredChunk[], { least, weight }: { least: number; weight: number }): void => {
    const range = (found[0]?.score ?? 0) - least;
    for (const { id, score } of found)
      scores.set(id, (scores.get(id) ?? 0) + weight * (range > 0 ? (score - least) / range : 1));
  };
  add(byWords, { least: 0, weight: 1 - meaningWeight });
  add(byMeaning, { least: byMeaning.at(-1)?.score ?? 0, weight: meaningWeight });
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

function bestChunks(db: DatabaseSync, ids: readonly number[], limit: number): readonly FoundPart[] {
  const read = db.prepare(
    `SELECT files.path AS path, chunks.from_line AS fromLine, chunks.to_line AS toLine, chunks.page AS page,
      chunks.title AS title, chunks.text AS text
    FROM chunks JOIN files ON files.id = chunks.file WHERE chunks.id = ?`,
  );
  const perFile = new Map<string, number>();
  const best: FoundPart[] = [];
  for (const id of ids) {
    if (best.length === limit) break;
    const chunk = chunkOf(read.get(id));
    const count = (perFile.get(chunk.path) ?? 0) + 1;
    perFile.set(chunk.path, count);
    if (count <= chunksPerFile) best.push(chunk);
  }
  return best;
}

function chunkOf(row: unknown): FoundPart {
  const value = (name: string): unknown => Reflect.get(Object(row), name);
  const page = value('page');
  return {
    path: String(value('path')),
    fromLine: Number(value('fromLine')),
    toLine: Number(value('toLine')),
    page: typeof page === 'number' ? page : null,
    title: String(value('title')),
    text: String(value('text')),
  };
}

/** Words that say nothing about what is looked for. */
const common = new Set(
  [
    'a am an and any are as at be been being but by can could did do does done for from get gets give given had has have',
    'how i if in into is it its just made make makes may me might more most must my no not of on one ones only or our out',
    'over own should so some such than that the them then there these they this those to too use used using very was we',
    'what when where which who why will with would you your',
  ].flatMap((line) => line.split(' ')),
);

/** Any of the words may match, and chunks with more and rarer ones come first. */
function matchOf(words: string): string {
  const all = [...new Set(searchWords(words.toLowerCase()))];
  const telling = all.filter((word) => !common.has(word));
  return (telling.length > 0 ? telling : all)
    .slice(0, mostWords)
    .map((word) => `"${word}"`)
    .join(' OR ');
}

function forgetUnused(db: DatabaseSync, day: number): void {
  const rows: readonly unknown[] = db.prepare('SELECT id, path FROM files WHERE day < ?').all(day - keptDays);
  if (rows.length === 0) return;
  inTransaction(db, () => forgetAll(db, rows));
}

function forgetAll(db: DatabaseSync, rows: readonly unknown[]): void {
  for (const row of rows) forget(db, Number(Reflect.get(Object(row), 'id')), String(Reflect.get(Object(row), 'path')));
}

/** The index stores no texts itself, so each deletion must pass the deleted text. */
function forget(db: DatabaseSync, file: number, path: string): void {
  const chunks: readonly unknown[] = db.prepare('SELECT id, title, text FROM chunks WHERE file = ?').all(file);
  const remove = db.prepare("INSERT INTO found (found, rowid, title, text) VALUES ('delete', ?, ?, ?)");
  for (const chunk of chunks) {
    const value = (name: string): string => String(Reflect.get(Object(chunk), name));
    remove.run(Number(value('id')), wordsApart(titleText(path, value('title'))), wordsApart(value('text')));
  }
  db.prepare('DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE file = ?)').run(file);
  db.prepare('DELETE FROM chunks WHERE file = ?').run(file);
  db.prepare('DELETE FROM files WHERE id = ?').run(file);
}
