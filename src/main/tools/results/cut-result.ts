import { isRecord } from '@shared/unknown-value.ts';
import type { MainList } from './json-text.ts';
import { mainListOf, pathText, writeJson } from './json-text.ts';
import type { ResultTable } from './result-shape.ts';
import { shapeOf, withShortCells } from './result-shape.ts';
import type { Level, Trims } from './shrink-value.ts';
import { levels, noTrims, shrinkValue } from './shrink-value.ts';

/** The arguments of `read_result` that ask for more of a result, beside its id. */
export interface MoreOf {
  readonly rows?: string;
  readonly path?: string;
}

/** Returns the words that tell the model how to ask for the rest. */
export type SayMore = (more: MoreOf) => string;

/** Rows are shortened further until this many fit. In a small context fewer are wanted, so that each says more. */
function wantedRows(room: number): number {
  return Math.min(25, Math.max(8, Math.round(room / 500)));
}

/** Room for the line that says what was left out. */
const noteBytes = 900;
const mostNamed = 12;

/**
 * Shortens a result to `mostBytes` by its structure: whole rows of JSON or a table, with fewer and shorter fields if
 * that shows more rows. The outcome is still JSON or a table, below a line that says what was left out. Null: the text
 * has no such structure, or not even one row fits.
 */
export function cutByStructure(text: string, mostBytes: number, sayMore: SayMore): string | null {
  const shape = shapeOf(text);
  if (shape.type === 'text' || mostBytes < 2 * noteBytes) return null;
  const before = headOf(shape.before, mostBytes * 0.15);
  const after = headOf(shape.after, mostBytes * 0.1);
  const room = mostBytes - noteBytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  const cut = shape.type === 'json' ? cutJson(shape.value, room) : cutTable(shape, room);
  if (cut === null) return null;
  const note = `[Shortened. ${[...cut.said, sayMore(cut.more)].join('. ')}]`;
  return `${note}\n${before}${cut.text}${after}`;
}

interface Cut {
  readonly text: string;
  readonly said: readonly string[];
  readonly more: MoreOf;
}

function headOf(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  // A UTF-16 code unit takes at most three bytes in UTF-8. The next line drops half of a surrogate pair.
  const head = text.slice(0, Math.max(0, Math.floor(mostBytes / 3) - 2));
  return `${head.replace(/[\uD800-\uDBFF]$/u, '')} …\n`;
}

/** From this text length on, showing all rows is better than showing a few with longer texts. */
const readable = 120;

interface Fitted {
  readonly level: Level;
  readonly rows: readonly unknown[];
  readonly trims: Trims;
}

function cutJson(value: unknown, room: number): Cut | null {
  const list = mainListOf(value) ?? { path: [], rows: [] };
  const fitted = levels.flatMap((level) => fitRows(value, list, level, room) ?? []);
  const whole = fitted.find(({ level, rows: { length } }) => length === list.rows.length && level.text >= readable);
  const enough = fitted.find(({ rows: { length } }) => length >= Math.min(wantedRows(room), list.rows.length));
  const best = whole ?? enough ?? fitted.reduce<Fitted | null>(moreRows, null);
  if (best === null || (list.rows.length > 0 && best.rows.length === 0)) return null;
  const { rows, trims, level } = best;
  return {
    text: writeJson(around(value, list, { level, trims, rows }), rows),
    said: saidOf(best, list),
    more: {
      ...(rows.length < list.rows.length ? { rows: nextRows(rows.length, list.rows.length) } : {}),
      ...(trims.cutText === null ? {} : { path: trims.cutText }),
    },
  };
}

function moreRows(best: Fitted | null, one: Fitted): Fitted {
  return best !== null && best.rows.length >= one.rows.length ? best : one;
}

function nextRows(shown: number, all: number): string {
  return `${shown + 1}-${Math.min(all, 2 * shown)}`;
}

/** As many rows as fit at one level. Null: not even the value around them fits. */
function fitRows(value: unknown, list: MainList, level: Level, room: number): Fitted | null {
  const trims = noTrims();
  const rows: unknown[] = [];
  let left = room - Buffer.byteLength(writeJson(around(value, list, { level, trims, rows: [] }))) - 4;
  if (left < 0) return null;
  const at = pathText(list.path);
  for (const row of list.rows) {
    // What a row leaves out counts only if the row is shown.
    const own = noTrims();
    const small = shrinkValue(row, level, own, `${at}[${rows.length}]`);
    left -= Buffer.byteLength(writeJson(small)) + 2;
    if (left < 0) break;
    rows.push(small);
    addTrims(trims, own);
  }
  return { level, rows, trims };
}

function addTrims(into: Trims, { left, named, lists, cutText, hasCut, hasEmpty }: Trims): void {
  for (const one of left) into.left.add(one);
  for (const one of named) into.named.add(one);
  for (const one of lists) into.lists.add(one);
  into.cutText ??= cutText;
  into.hasCut ||= hasCut;
  into.hasEmpty ||= hasEmpty;
}

/** The value with its main list replaced by the chosen rows, and with the rest shortened. */
function around(value: unknown, { path }: MainList, fitted: Fitted, gone: readonly (string | number)[] = []): unknown {
  const { level, trims, rows } = fitted;
  const [step] = path.slice(gone.length);
  if (step === undefined)
    return path.length === 0 && !Array.isArray(value) ? shrinkValue(value, level, trims, '') : rows;
  if (Array.isArray(value)) return [around(value[0], { path, rows }, fitted, [...gone, step])];
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === step
        ? around(inner, { path, rows }, fitted, [...gone, step])
        : shrinkValue(inner, level, trims, pathText([...gone, key])),
    ]),
  );
}

function saidOf({ rows, trims, level }: Fitted, { path, rows: all }: MainList): readonly string[] {
  const where = path.length === 0 ? '' : ` of ${pathText(path)}`;
  return [
    ...(rows.length < all.length ? [`Rows 1-${rows.length} of ${all.length}${where}`] : []),
    ...(!trims.hasCut ? [] : [`Texts end after ${level.text} characters`]),
    ...(trims.lists.size === 0 ? [] : [`Of these lists ${level.items} items: ${named(trims.lists)}`]),
    ...(trims.named.size === 0 ? [] : [`Only names of: ${named(trims.named)}`]),
    ...(trims.left.size === 0 ? [] : [`Left out: ${named(trims.left)}`]),
    ...(trims.hasEmpty ? ['Fields that are empty or false left out'] : []),
  ];
}

function named(paths: ReadonlySet<string>): string {
  const all = [...paths].map((path) => (path === '' ? 'the list' : path.slice(0, 60)));
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : '';
  return all.slice(0, mostNamed).join(', ').slice(0, 400) + more;
}

const cellLengths = [Infinity, 400, 120, 40] as const;

function cutTable({ head, rows, delimiter }: ResultTable, room: number): Cut | null {
  let best: { readonly shown: readonly string[]; readonly longest: number } | null = null;
  const title = `${head.map((line) => withShortCells(line, delimiter, 120)).join('\n')}\n`;
  for (const longest of cellLengths) {
    let left = room - Buffer.byteLength(title);
    const shown: string[] = [];
    for (const row of rows) {
      const line = withShortCells(row, delimiter, longest);
      left -= Buffer.byteLength(line) + 1;
      if (left < 0) break;
      shown.push(line);
    }
    if (shown.length > (best?.shown.length ?? 0)) best = { shown, longest };
    if (shown.length >= Math.min(wantedRows(room), rows.length)) break;
  }
  if (best === null) return null;
  const { shown, longest } = best;
  return {
    text: title + shown.join('\n'),
    said: [
      ...(shown.length < rows.length ? [`Rows 1-${shown.length} of ${rows.length}`] : []),
      ...(longest === Infinity ? [] : [`Cells end after ${longest} characters`]),
    ],
    more: shown.length < rows.length ? { rows: nextRows(shown.length, rows.length) } : { rows: '1' },
  };
}
