import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { arrayItems, objectValues, type JsonRange } from './json-ranges.ts';
import { applyEdit, type EditOutcome } from './match-edit.ts';

/** One cell of a notebook, and where it and its source stand in the file. */
interface Cell {
  readonly number: number;
  readonly source: string;
  readonly at: JsonRange;
  readonly sourceAt: JsonRange;
}

/** A cell that an edit adds. */
interface NewCell {
  readonly type: string;
  readonly source: string;
}

type Refused = Extract<EditOutcome, { readonly type: 'refused' }>;

/** `text` is the whole file, in which only one cell differs. `line` counts within that cell. */
export type NotebookEdit =
  | (Extract<EditOutcome, { readonly type: 'applied' }> & { readonly cell: number; readonly added: number })
  | Refused;

/** A line that `read_file` shows before a cell, or that begins a further one: `[Cell: markdown]`. */
const markLine = /^\[Cell(?: \d+ of \d+)?: (code|markdown|raw)\]$/u;

/**
 * Replaces text in the one cell that has it. Everything else of the file stays byte by byte. A line `[Cell: code]` in
 * the new text begins a further cell after it. Null: the file is no notebook, and is edited as the text that it is.
 */
export function editNotebook(
  file: string,
  edit: { readonly old: string; readonly new: string; readonly everywhere: boolean },
): NotebookEdit | null {
  const cells = cellsOf(file);
  if (cells === null) return null;
  const old = linesFrom(edit.old);
  const [first, ...added] = cellTexts(linesFrom(edit.new));
  const exact = cells.filter(({ source }) => source.includes(old));
  const tried = (exact.length > 0 ? exact : cells).map((cell) => {
    const outcome = applyEdit(cell.source, old, first?.source ?? '', edit.everywhere);
    // A cell that stays as it is may still get another after it.
    const isOnlyAdded = outcome.type === 'refused' && outcome.reason === 'same' && added.length > 0;
    const kept: EditOutcome = isOnlyAdded ? { type: 'applied', text: cell.source, line: 1, how: [] } : outcome;
    return { cell, outcome: kept };
  });
  const fitting = tried.flatMap(({ cell, outcome }) => (outcome.type === 'applied' ? [{ cell, outcome }] : []));
  const [only] = fitting;
  if (only === undefined) return refusalOf(tried.map(({ outcome }) => outcome));
  if (fitting.length > 1) {
    const where = fitting.slice(0, 8).map(({ cell }) => cell.number);
    const message = `The old text stands in ${fitting.length} cells: ${where.join(', ')}. Give more lines of the one that you mean.`;
    return { type: 'refused', reason: 'ambiguous', message };
  }
  const { cell, outcome } = only;
  return { ...outcome, text: withCell(file, cell, outcome.text, added), cell: cell.number, added: added.length };
}

/** What says most: a cell with several places, or an edit that changes nothing, before a text that is nowhere. */
function refusalOf(outcomes: readonly EditOutcome[]): Refused {
  const refused = outcomes.flatMap((outcome) => (outcome.type === 'refused' ? [outcome] : []));
  const telling = refused.find(({ reason }) => reason !== 'not-found');
  const message = 'No cell has the old text. Give lines of one cell, as read_file shows them.';
  return telling ?? { type: 'refused', reason: 'not-found', message };
}

/** Null: it is no notebook of the format that every program writes today. */
function cellsOf(file: string): readonly Cell[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(file);
  } catch {
    return null;
  }
  if (!isRecord(parsed) || !Array.isArray(parsed['cells'])) return null;
  const list = objectValues(file, file.indexOf('{')).get('cells');
  if (list === undefined) return null;
  return arrayItems(file, list.from).flatMap((at, index) => {
    const sourceAt = file[at.from] === '{' ? objectValues(file, at.from).get('source') : undefined;
    if (sourceAt === undefined) return [];
    const source: unknown = JSON.parse(file.slice(sourceAt.from, sourceAt.to));
    const text = Array.isArray(source) ? source.join('') : source;
    return typeof text === 'string' ? [{ number: index + 1, source: text, at, sourceAt }] : [];
  });
}

/** Without the mark of the cell that a model copied along. */
function linesFrom(text: string): string {
  const end = text.indexOf('\n');
  return end >= 0 && markLine.test(text.slice(0, end).trimEnd()) ? text.slice(end + 1) : text;
}

function cellTexts(text: string): readonly NewCell[] {
  const cells: { type: string; lines: string[] }[] = [{ type: 'code', lines: [] }];
  for (const line of text.split('\n')) {
    const type = markLine.exec(line.trimEnd())?.[1];
    if (type === undefined) cells.at(-1)?.lines.push(line);
    else cells.push({ type, lines: [] });
  }
  return cells.map(({ type, lines }, index) => {
    const source = lines.join('\n');
    return { type, source: index === cells.length - 1 && index === 0 ? source : source.replace(/^\n|\n{1,2}$/gu, '') };
  });
}

/** The file with another source in one cell, and with new cells after it. */
function withCell(file: string, { at, sourceAt }: Cell, source: string, added: readonly NewCell[]): string {
  const old = file.slice(sourceAt.from, sourceAt.to);
  const cell = file.slice(at.from, sourceAt.from) + sourceLike(old, source, file) + file.slice(sourceAt.to, at.to);
  const indent = spaceBefore(file, at.from);
  const inner = spaceBefore(file, at.from + 1 + (/^\s*/u.exec(file.slice(at.from + 1))?.[0].length ?? 0));
  const more = added.map((one) => `,${indent}${newCellText(one, { indent, inner, file })}`);
  return file.slice(0, at.from) + cell + more.join('') + file.slice(at.to);
}

/** The space between the character before a place and that place, such as a line break with an indentation. */
function spaceBefore(file: string, at: number): string {
  let from = at;
  while (from > 0 && ' \t\n\r'.includes(file.charAt(from - 1))) from -= 1;
  return file.slice(from, at);
}

interface Form {
  readonly indent: string;
  readonly inner: string;
  readonly file: string;
}

function newCellText({ type, source }: NewCell, { indent, inner, file }: Form): string {
  const whole: unknown = JSON.parse(file);
  const step = inner.startsWith(indent) ? inner.slice(indent.length) : '';
  const hasIds = Number(fieldOf(whole, 'nbformat_minor') ?? 0) >= 5;
  const fields: readonly (readonly [string, string])[] = [
    ['cell_type', JSON.stringify(type)],
    ...(type === 'code' ? [['execution_count', 'null'] as const] : []),
    ...(hasIds ? [['id', JSON.stringify(sha256Of(`${file.length} ${source}`).slice(0, 8))] as const] : []),
    ['metadata', '{}'],
    ...(type === 'code' ? [['outputs', '[]'] as const] : []),
    ['source', sourceLike(`[${inner}${step}"x"${inner}]`, source, file)],
  ];
  const colon = /"cell_type"\s*:\s/u.test(file) ? ': ' : ':';
  return `{${fields.map(([key, value]) => `${inner}"${key}"${colon}${value}`).join(',')}${indent}}`;
}

/** A source in the form of an old one: a text, or a list of lines with its indentation. */
function sourceLike(old: string, source: string, file: string): string {
  // Some programs write letters beyond ASCII as escapes.
  const isAscii = /^[\0-\x7f]*$/u.test(file);
  const quoted = (text: string): string => {
    const json = JSON.stringify(text);
    return isAscii
      ? json.replaceAll(/[^\0-\x7f]/gu, (letter) =>
          letter.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
        )
      : json;
  };
  if (!old.startsWith('[')) return quoted(source);
  if (source === '') return '[]';
  const [first] = arrayItems(old, 0);
  const indent = first === undefined ? null : spaceBefore(old, first.from);
  const lines = source.split(/(?<=\n)/u).map(quoted);
  if (indent === null) return `[${lines.join(', ')}]`;
  const end = spaceBefore(old, old.length - 1);
  return `[${indent}${lines.join(`,${indent === '' ? ' ' : indent}`)}${end}]`;
}
