import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../lib/in-transaction.ts';
import { chunkPieces } from './document-chunks.ts';

/** A question as a vector of length 1, by the model with this digest. */
export interface VectorQuery {
  readonly digest: string;
  /** 32-bit numbers in base64. */
  readonly row: string;
}

/** A chunk without vectors, in pieces that are short enough for one vector each. */
export interface UnreadChunk {
  readonly chunk: number;
  readonly pieces: readonly string[];
}

export interface MadeVectors {
  readonly chunk: number;
  /** One for each piece, as in a query. */
  readonly rows: readonly string[];
}

/** Counted in chunks of the files that were taken or added. */
export interface VectorCount {
  readonly done: number;
  readonly of: number;
}

export interface ScoredChunk {
  readonly id: number;
  readonly score: number;
}

/** The vectors of chunks. Each belongs to one model, and only vectors of one model are compared. */
export interface ChunkVectors {
  readonly count: (digest: string) => VectorCount;
  /** The next ones after that chunk, so that what is done is not looked at again. */
  readonly unread: (digest: string, asked: { readonly after: number; readonly most: number }) => readonly UnreadChunk[];
  /** Vectors of chunks that are gone meanwhile are left out. */
  readonly add: (digest: string, made: readonly MadeVectors[]) => void;
  /** The chunks whose two nearest pieces are nearest, best first. */
  readonly nearest: (query: VectorQuery, most: number) => readonly ScoredChunk[];
  /** Removes the vectors of models that no search asked for since that day. */
  readonly forgetUnused: (day: number) => void;
}

/** A number of a vector takes one byte. `scale` times the largest byte is the largest number. */
export const vectorTables = `
  CREATE TABLE models (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, day INTEGER NOT NULL);
  CREATE TABLE vectors (
    chunk INTEGER NOT NULL, model INTEGER NOT NULL, piece INTEGER NOT NULL, scale REAL NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (chunk, model, piece)
  ) WITHOUT ROWID;
`;

const mostByte = 127;

export function chunkVectors(db: DatabaseSync, day: number): ChunkVectors {
  const modelOf = (digest: string): number => {
    db.prepare(
      'INSERT INTO models (digest, day) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET day = excluded.day',
    ).run(digest, day);
    return numberIn(db.prepare('SELECT id FROM models WHERE digest = ?').get(digest), 'id');
  };
  return {
    count: (digest) => {
      const row = db
        .prepare(
          `SELECT count(*) AS "of", coalesce(sum(EXISTS (SELECT 1 FROM vectors WHERE chunk = chunks.id AND model = ?)), 0)
            AS done FROM asked JOIN chunks ON chunks.file = asked.file`,
        )
        .get(modelOf(digest));
      return { done: numberIn(row, 'done'), of: numberIn(row, 'of') };
    },
    unread: (digest, { after, most }) => {
      const rows: readonly unknown[] = db
        .prepare(
          `SELECT chunks.id AS chunk, chunks.title AS title, chunks.text AS text
          FROM asked JOIN chunks ON chunks.file = asked.file
          WHERE chunks.id > ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE chunk = chunks.id AND model = ?)
          ORDER BY chunks.id LIMIT ?`,
        )
        .all(after, modelOf(digest), most);
      return rows.map((row) => ({
        chunk: numberIn(row, 'chunk'),
        pieces: chunkPieces(String(Reflect.get(Object(row), 'title')), String(Reflect.get(Object(row), 'text'))),
      }));
    },
    add: (digest, made) => inTransaction(db, () => addVectors(db, modelOf(digest), made)),
    nearest: (query, most) => nearestChunks(db, { model: modelOf(query.digest), vector: numbersOf(query.row) }, most),
    forgetUnused: (before) => {
      db.prepare('DELETE FROM vectors WHERE model IN (SELECT id FROM models WHERE day < ?)').run(before);
      db.prepare('DELETE FROM models WHERE day < ?').run(before);
    },
  };
}

function addVectors(db: DatabaseSync, model: number, made: readonly MadeVectors[]): void {
  const isThere = db.prepare('SELECT 1 FROM chunks WHERE id = ?');
  const add = db.prepare('INSERT OR REPLACE INTO vectors (chunk, model, piece, scale, bytes) VALUES (?, ?, ?, ?, ?)');
  for (const { chunk, rows } of made) {
    if (isThere.get(chunk) === undefined) continue;
    rows.forEach((row, piece) => {
      const { scale, bytes } = inBytes(numbersOf(row));
      add.run(chunk, model, piece, scale, bytes);
    });
  }
}

function inBytes(vector: Float32Array): { readonly scale: number; readonly bytes: Int8Array } {
  const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / mostByte;
  return { scale, bytes: Int8Array.from(vector, (value) => (scale === 0 ? 0 : Math.round(value / scale))) };
}

/** Compares with all of them: 100,000 take a fraction of a second, and no index of vectors has to be kept right. */
function nearestChunks(
  db: DatabaseSync,
  { model, vector }: { readonly model: number; readonly vector: Float32Array },
  most: number,
): readonly ScoredChunk[] {
  const rows = db
    .prepare(
      `SELECT vectors.chunk AS chunk, vectors.scale AS scale, vectors.bytes AS bytes
      FROM asked JOIN chunks ON chunks.file = asked.file JOIN vectors ON vectors.chunk = chunks.id AND vectors.model = ?`,
    )
    .iterate(model);
  let near: ScoredChunk[] = [];
  let chunk = -1;
  let [best, second] = [-Infinity, -Infinity];
  const end = (): void => {
    if (chunk >= 0) near.push({ id: chunk, score: best + secondWeight * (second === -Infinity ? best : second) });
    if (near.length > most * keptFactor) near = nearestOf(near, most);
    [best, second] = [-Infinity, -Infinity];
  };
  // The pieces of a chunk come one after the other.
  for (const row of rows) {
    const { scale, bytes } = row;
    if (!(bytes instanceof Uint8Array) || bytes.length !== vector.length) continue;
    if (Number(row['chunk']) !== chunk) end();
    chunk = Number(row['chunk']);
    const score = Number(scale) * product(bytes, vector);
    if (score > best) [best, second] = [score, best];
    else second = Math.max(second, score);
  }
  end();
  return nearestOf(near, most);
}

/** A chunk with two pieces that are near says more than one with one. Chosen as `meaningWeight`. */
const secondWeight = 0.4;
/** So many times the wanted chunks are kept while it compares. */
const keptFactor = 32;

/** Each chunk once, best first. */
function nearestOf(found: readonly ScoredChunk[], most: number): ScoredChunk[] {
  const seen = new Set<number>();
  return found
    .toSorted((one, other) => other.score - one.score)
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .slice(0, most);
}

function product(bytes: Uint8Array, vector: Float32Array): number {
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let sum = 0;
  for (let at = 0; at < signed.length; at += 1) sum += (signed[at] ?? 0) * (vector[at] ?? 0);
  return sum;
}

function numbersOf(row: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(row, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
}

const numberIn = (row: unknown, name: string): number => Number(Reflect.get(Object(row), name));
