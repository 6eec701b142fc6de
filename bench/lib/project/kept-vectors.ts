import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TextVectors } from '../../../src/main/models/text-vectors.ts';

/** Makes each vector once for all runs, whatever text it is part of. Its figures are not of the model's speed. */
export function keptVectors(texts: TextVectors, path: string): TextVectors {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, row TEXT NOT NULL)');
  const find = db.prepare('SELECT row FROM kept WHERE key = ?');
  const keep = db.prepare('INSERT OR REPLACE INTO kept (key, row) VALUES (?, ?)');
  return {
    ...texts,
    read: async (asked, how, signal) => {
      const keyOf = (text: string): string =>
        createHash('sha256')
          .update(JSON.stringify([how.model.digest, how.use, text]))
          .digest('hex');
      const known = (text: string): string | null => {
        const row: unknown = Reflect.get(Object(find.get(keyOf(text))), 'row');
        return typeof row === 'string' ? row : null;
      };
      const missing = [...new Set(asked)].filter((text) => known(text) === null);
      const read = missing.length === 0 ? null : await texts.read(missing, how, signal);
      if (read?.ok === false) return read;
      for (const [at, text] of missing.entries()) keep.run(keyOf(text), read?.rows[at] ?? '');
      return { ok: true, rows: asked.map((text) => known(text) ?? '') };
    },
    dispose: async () => {
      db.close();
      await texts.dispose();
    },
  };
}
