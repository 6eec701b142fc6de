import type { SparseRow } from './sparse-ridge.ts';

/** Columns of hashed text. */
export const textWidth = 2 ** 18;

/** Words and pairs of words of a text, hashed. Values are one by one; `weighed` scales them. */
export function hashText(text: string): ReadonlyMap<number, number> {
  const words = text.toLowerCase().match(/[a-z]+|\d+|[^\sa-z\d]/g) ?? [];
  const found = new Map<number, number>();
  const add = (key: string): void => {
    const at = hash(key);
    found.set(at, (found.get(at) ?? 0) + 1);
  };
  let before = '';
  for (const raw of words) {
    const word = /^\d+$/.test(raw) ? `#${raw.length}` : raw;
    add(word);
    if (before !== '') add(`${before} ${word}`);
    if (word.length > 6) add(`^${word.slice(0, 5)}`);
    before = word;
  }
  return found;
}

function hash(key: string): number {
  let state = 2166136261;
  for (let at = 0; at < key.length; at += 1) state = Math.imul(state ^ key.charCodeAt(at), 16777619);
  return (state >>> 0) & (textWidth - 1);
}

/** Rows of unit length, rare words first: tf-idf by the given rows alone. */
export function weighText(
  rows: readonly ReadonlyMap<number, number>[],
  isKnown: (row: number) => boolean,
): readonly SparseRow[] {
  const seen = new Float64Array(textWidth);
  let count = 0;
  for (const [index, row] of rows.entries()) {
    if (!isKnown(index)) continue;
    count += 1;
    for (const at of row.keys()) seen[at] = (seen[at] ?? 0) + 1;
  }
  return rows.map((row) => {
    const entries = [...row].filter(([at]) => (seen[at] ?? 0) >= 2);
    const values = entries.map(([at, times]) => (1 + Math.log(times)) * Math.log((1 + count) / (1 + (seen[at] ?? 0))));
    const length = Math.hypot(...values) || 1;
    return {
      at: Int32Array.from(entries, ([at]) => at),
      value: Float32Array.from(values, (value) => value / length),
    };
  });
}

/** Counts of a text without any of its words. */
export function countsOf(text: string): readonly number[] {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  const numbers = text.match(/\d+(?:\.\d+)?/g) ?? [];
  const lines = text.split('\n');
  const long = words.filter((word) => word.length > 9).length;
  const symbols = text.match(/[=+*/^<>{}()[\]\\$%]/g) ?? [];
  return [
    Math.log1p(text.length),
    Math.log1p(words.length),
    numbers.length,
    numbers.length / Math.max(1, words.length),
    lines.length,
    symbols.length / Math.max(1, text.length),
    words.reduce((sum, word) => sum + word.length, 0) / Math.max(1, words.length),
    long / Math.max(1, words.length),
    (text.match(/[.?!](?:\s|$)/g) ?? []).length,
    (text.match(/\?/g) ?? []).length,
    (text.match(/[A-Z]/g) ?? []).length / Math.max(1, text.length),
    Math.max(0, ...lines.map((line) => line.length - line.trimStart().length)),
  ];
}
