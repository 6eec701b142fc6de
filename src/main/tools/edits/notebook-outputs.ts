import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { notebookText } from '../../lib/files/notebook-output.ts';
import { arrayItems, objectValues, type JsonRange } from './json-ranges.ts';

/** A cell as it is run. `number` counts all cells from 1, as `read_file` does. */
export interface NotebookCell {
  readonly number: number;
  readonly isCode: boolean;
  readonly source: string;
  /** Its notebook says that it may fail, and that the cells after it run all the same. */
  readonly mayFail: boolean;
}

export interface ReadNotebook {
  readonly cells: readonly NotebookCell[];
  /** The name of its kernel, such as `python3`, and of its language, such as `Python 3` or `R`. */
  readonly kernel: string;
  readonly language: string;
  readonly isPython: boolean;
}

/** What one cell gave, in the form of the file. */
export interface CellOutputs {
  readonly number: number;
  readonly count: number;
  readonly outputs: readonly unknown[];
}

/** Null: it is no notebook of the format that every program writes today. The file may begin with a byte order mark. */
export function readNotebook(file: string): ReadNotebook | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(file.replace(/^\uFEFF/u, ''));
  } catch {
    return null;
  }
  const listed = fieldOf(parsed, 'cells');
  if (!isRecord(parsed) || !Array.isArray(listed)) return null;
  const cells: NotebookCell[] = [];
  for (const [index, cell] of listed.entries()) {
    const source = notebookText.safeParse(fieldOf(cell, 'source'));
    if (!source.success) return null;
    const tags = fieldOf(fieldOf(cell, 'metadata'), 'tags');
    const mayFail = Array.isArray(tags) && tags.includes('raises-exception');
    cells.push({ number: index + 1, isCode: fieldOf(cell, 'cell_type') === 'code', source: source.data, mayFail });
  }
  const spec = fieldOf(parsed['metadata'], 'kernelspec');
  const named = [
    fieldOf(fieldOf(parsed['metadata'], 'language_info'), 'name'),
    fieldOf(spec, 'language'),
    fieldOf(spec, 'name'),
  ];
  // A notebook that names no language is one of Python.
  const language = named.find((name) => typeof name === 'string') ?? 'python';
  const kernel = fieldOf(spec, 'name');
  return {
    cells,
    kernel: typeof kernel === 'string' ? kernel : 'python3',
    language: String(language),
    isPython: /python/iu.test(String(language)),
  };
}

/** The file with other outputs in some cells. Everything else stays byte by byte. `asEscapes`: without new letters. */
export function withOutputs(file: string, ran: readonly CellOutputs[], asEscapes = false): string {
  const list = objectValues(file, file.indexOf('{')).get('cells');
  if (list === undefined) return file;
  const items = arrayItems(file, list.from);
  const form = { step: stepOf(file, items[0]), isAscii: asEscapes || /^\uFEFF?[\0-\x7f]*$/u.test(file) };
  let text = '';
  let done = 0;
  for (const { number, outputs, count } of ran.toSorted((one, other) => one.number - other.number)) {
    const at = items[number - 1];
    if (at === undefined) continue;
    for (const { from, to, value } of placesIn(file, at, { outputs, execution_count: count }, form)) {
      text += file.slice(done, from) + value;
      done = to;
    }
  }
  return text + file.slice(done);
}

interface Replaced extends JsonRange {
  readonly value: string;
}

/** Where the fields of a cell stand, in the order of the file. A field that it lacks goes to its beginning. */
function placesIn(
  file: string,
  at: JsonRange,
  fields: Readonly<Record<string, unknown>>,
  form: Omit<Form, 'indent'>,
): readonly Replaced[] {
  const values = objectValues(file, at.from);
  const begin = /^\{\s*/u.exec(file.slice(at.from, at.from + 200))?.[0] ?? '{';
  const indent = begin.includes('\n') ? begin.slice(begin.lastIndexOf('\n')) : null;
  const places = Object.entries(fields).map(([key, field]): Replaced => {
    const json = jsonText(field, { indent, ...form });
    const known = values.get(key);
    if (known !== undefined) return { ...known, value: json };
    const start = at.from + begin.length;
    return { from: start, to: start, value: `"${key}": ${json},${indent ?? ' '}` };
  });
  return places.toSorted((one, other) => one.from - other.from);
}

/** How much deeper each level of the file is indented. Null: it has no lines. */
function stepOf(file: string, first: JsonRange | undefined): string | null {
  if (first === undefined) return null;
  const before = /\n([ \t]*)$/u.exec(file.slice(Math.max(0, first.from - 100), first.from))?.[1];
  const inside = /^\{\r?\n([ \t]*)/u.exec(file.slice(first.from, first.from + 100))?.[1];
  return before === undefined || inside === undefined || !inside.startsWith(before)
    ? null
    : inside.slice(before.length);
}

interface Form {
  /** A line break with the indentation of the field. */
  readonly indent: string | null;
  readonly step: string | null;
  /** Some programs write letters beyond ASCII as escapes. */
  readonly isAscii: boolean;
}

function jsonText(value: unknown, { indent, step, isAscii }: Form): string {
  const json = indent === null || step === null ? JSON.stringify(value) : JSON.stringify(value, null, step);
  const lines = indent === null ? json : json.replaceAll('\n', indent);
  if (!isAscii) return lines;
  return lines.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
