import { failure, success, type Reply } from '@shared/errors.ts';
import { mainListOf, pathText, plainText, valueAt, writeJson } from './json-text.ts';
import { shapeOf } from './result-shape.ts';

/** Which part of a result is wanted. Without any field: all of it. */
export interface ResultLook {
  readonly path?: string | undefined;
  readonly rows?: string | undefined;
  readonly search?: string | undefined;
}

interface Rows {
  readonly all: readonly unknown[];
  /** Renders the chosen rows. Their numbers count from 1. */
  readonly text: (rows: readonly { readonly row: unknown; readonly number: number }[]) => string;
  /** The text of a row that a search looks through. */
  readonly searched: (row: unknown) => string;
  readonly where: string;
}

/** A part of a kept result: the value at a path, some of its rows, or the rows that contain certain words. */
export function lookIntoResult(text: string, { path, rows: range, search }: ResultLook): Reply<string> {
  const shape = shapeOf(text);
  if (shape.type !== 'json' && path !== undefined)
    return failure('bad-input', 'This result is no JSON, so it has no paths. Use "rows" or "search".');
  if (shape.type === 'json') {
    const found = path === undefined ? { value: shape.value } : valueAt(shape.value, path);
    if (typeof found === 'string') return failure('bad-input', `Nothing is at ${JSON.stringify(path)}: ${found}.`);
    return typeof found.value === 'string'
      ? chosen(linesAsRows(plainText(found.value).split('\n')), { range, search })
      : chosen(jsonAsRows(found.value), { range, search });
  }
  if (shape.type === 'text') return chosen(linesAsRows(shape.lines), { range, search });
  const { head, rows } = shape;
  return chosen(
    {
      all: rows,
      where: 'the table',
      searched: String,
      text: (some) => [...head, ...some.map(({ row }) => String(row))].join('\n'),
    },
    { range, search },
  );
}

function linesAsRows(lines: readonly string[]): Rows {
  return {
    all: lines,
    where: 'the text',
    searched: String,
    text: (some) => some.map(({ row }) => String(row)).join('\n'),
  };
}

function jsonAsRows(value: unknown): Rows {
  const list = mainListOf(value);
  const rows = list?.rows ?? [value];
  const at = list === null || list.path.length === 0 ? 'the list' : pathText(list.path);
  return {
    all: rows,
    where: list === null ? 'the value' : at,
    searched: writeJson,
    text: (some) => {
      const items = some.map(({ row }) => row);
      return list === null ? writeJson(value) : writeJson(items, items);
    },
  };
}

interface Choice {
  readonly range: string | undefined;
  readonly search: string | undefined;
}

function chosen({ all, text, searched, where }: Rows, { range, search }: Choice): Reply<string> {
  const numbered = all.map((row, at) => ({ row, number: at + 1 }));
  const limits = range === undefined ? { from: 1, to: all.length } : rangeOf(range);
  if (limits === null)
    return failure('bad-input', `"rows" is a number or a range, such as "41-80", and not ${JSON.stringify(range)}.`);
  const within = numbered.slice(limits.from - 1, limits.to);
  if (within.length === 0) return failure('bad-input', `There is no row ${limits.from}: ${where} has ${all.length}.`);
  if (search === undefined) {
    const last = within.at(-1)?.number ?? 0;
    const isAll = within.length === all.length;
    return success(
      isAll ? text(within) : `[Rows ${limits.from}-${last} of ${all.length} of ${where}]\n${text(within)}`,
    );
  }
  const words = search
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const found = within.filter(({ row }) => {
    const looked = searched(row).toLowerCase();
    return words.every((word) => looked.includes(word));
  });
  if (found.length === 0)
    return success(`No row of ${where} has ${JSON.stringify(search)} in it; it has ${all.length} rows.`);
  const shown = found.slice(0, 40).map(({ number }) => number);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return success(
    `[${found.length} of ${all.length} rows of ${where} have it: ${shown.join(', ')}${more}]\n${text(found)}`,
  );
}

function rangeOf(text: string): { readonly from: number; readonly to: number } | null {
  const match = /^\s*(\d{1,9})\s*(?:(?:-|–|\.\.|to)\s*(\d{1,9})\s*)?$/u.exec(text);
  if (match === null) return null;
  const from = Math.max(1, Number(match[1]));
  const to = match[2] === undefined ? from : Number(match[2]);
  return to < from ? null : { from, to };
}
