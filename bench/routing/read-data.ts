import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const run = promisify(execFile);

/** A text of the data folder. `.gz` is unpacked here, `.xz` by the program `xz`, which has to be installed. */
export async function readText(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  if (name.endsWith('.xz')) return (await run('xz', ['-dc', path], { maxBuffer: 2 ** 30 })).stdout;
  const bytes = await readFile(path);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

export async function readJsonLines(folder: string, name: string): Promise<readonly unknown[]> {
  const text = await readText(folder, name);
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line));
}

/** Rows of a CSV text with quoted fields, without its head. */
export async function readRows(folder: string, name: string): Promise<readonly (readonly string[])[]> {
  const rows = parseCsv(await readText(folder, name));
  return rows.slice(1);
}

function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text.charAt(at + 1) === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ',') {
      row.push(field);
      field = '';
    } else if (char === '\n') {
      row.push(field.endsWith('\r') ? field.slice(0, -1) : field);
      rows.push(row);
      row = [];
      field = '';
    } else field += char;
  }
  if (field !== '' || row.length > 0) rows.push([...row, field]);
  return rows.filter((one) => one.length > 1 || one[0] !== '');
}

/** A figure of each item, by model. */
export type ByModel = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Rows of model, item and figure, by model. The last row of an item counts. */
export function byModel(rows: readonly (readonly [string, string, number])[]): ByModel {
  const models = new Map<string, Map<string, number>>();
  for (const [model, item, value] of rows) {
    const own = models.get(model) ?? new Map<string, number>();
    own.set(item, value);
    models.set(model, own);
  }
  return models;
}
