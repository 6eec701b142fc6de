import { isRecord } from '@shared/unknown-value.ts';

/** More deeply nested values are treated as text. */
const deepest = 60;

/** A number that JavaScript would write differently, such as an id of 19 digits, becomes a string after this mark. */
const mark = '\uE001#';
const held = /^\uE001#-?\d[\d.eE+-]*$/u;
const odd = /\d{16}|\d[eE]|\.\d{0,40}0(?!\d)/u;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gsu;

/** Parses JSON into a value that `writeJson` writes with the same digits. Null: it is not JSON, or too deep. */
export function parseJson(text: string): { readonly value: unknown } | null {
  try {
    const plain: unknown = JSON.parse(text);
    // Only for valid JSON, because the search for string ends is slow in other texts.
    const value: unknown = odd.test(text) ? JSON.parse(text.replaceAll(tokens, heldToken)) : plain;
    return isDeeper(value, deepest) ? null : { value };
  } catch {
    // It only began like JSON.
    return null;
  }
}

function heldToken(token: string): string {
  if (token.startsWith('"') || String(Number(token)) === token) return token;
  return JSON.stringify(`${mark}${token}`);
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isDeeper(inner, left - 1));
}

/** Writes the value on one line. If `rows` is a list in it, each of its items gets its own line. */
export function writeJson(value: unknown, rows?: unknown): string {
  if (typeof value === 'string' && held.test(value)) return value.slice(mark.length);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => writeJson(item, rows));
    return value === rows && items.length > 0 ? `[\n${items.join(',\n')}\n]` : `[${items.join(',')}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${writeJson(inner, rows)}`);
  return `{${fields.join(',')}}`;
}

/** A string or a held number, as it reads outside of JSON. */
export function plainText(value: string): string {
  return held.test(value) ? value.slice(mark.length) : value;
}

/** The list that a value mostly consists of, and its path. */
export interface MainList {
  readonly path: readonly (string | number)[];
  readonly rows: readonly unknown[];
}

export function mainListOf(value: unknown, path: readonly (string | number)[] = []): MainList | null {
  if (Array.isArray(value)) {
    const rows: readonly unknown[] = value;
    return rows.length === 1 && path.length < 6
      ? (mainListOf(rows[0], [...path, 0]) ?? { path, rows })
      : { path, rows };
  }
  if (!isRecord(value) || path.length > 6) return null;
  const sized = Object.entries(value).map(([key, inner]) => ({ key, inner, size: writeJson(inner).length }));
  const all = sized.reduce((sum, { size }) => sum + size, 0);
  const largest = sized.reduce((best, one) => (one.size > best.size ? one : best), { key: '', inner: null, size: 0 });
  return largest.size * 2 < all ? null : mainListOf(largest.inner, [...path, largest.key]);
}

/** For example `issues[3].user`. Empty: the value itself. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w-]+$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./u, '');
}

/** The value at a path; `[*]` stands for every item of a list. Returns a text if the path leads nowhere. */
export function valueAt(value: unknown, path: string): { readonly value: unknown } | string {
  const steps = path.match(/\[\*\]|\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/gu) ?? [];
  return follow(value, path.startsWith('$') ? steps.slice(1) : steps, '');
}

function follow(value: unknown, steps: readonly string[], gone: string): { readonly value: unknown } | string {
  const [step, ...rest] = steps;
  if (step === undefined) return { value };
  const where = gone === '' ? 'the result' : gone;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (step === '[*]' || step === '*') {
      const found = items.map((item) => follow(item, rest, `${gone}[*]`));
      return { value: found.map((one) => (typeof one === 'string' ? null : one.value)) };
    }
    if (/^\d+$/u.test(step) && Number(step) < items.length)
      return follow(items[Number(step)], rest, `${gone}[${step}]`);
    return `${where} is a list of ${items.length}: use [0] to [${items.length - 1}], or [*]`;
  }
  if (!isRecord(value)) return `${where} is a single value`;
  const name = step.startsWith('["') ? String(JSON.parse(step.slice(1, -1))) : step;
  if (Object.hasOwn(value, name)) return follow(value[name], rest, gone === '' ? name : `${gone}.${name}`);
  return `${where} has no ${name.slice(0, 60)}; it has ${Object.keys(value).slice(0, 40).join(', ').slice(0, 800)}`;
}
