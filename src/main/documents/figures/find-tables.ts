import Papa from 'papaparse';

/** The rows of a table as they were written; all have the same number of cells. */
export type FoundTable = readonly (readonly string[])[];

const mostTables = 3;
const mostLines = 20_000;
const longestLine = 2_000;
const leastRows = 3;
const leastInLine = 4;

/**
 * The tables of a text: of Markdown, with tabs, semicolons or commas between cells, in columns with spaces between, and
 * lines that each end with a number. What could be prose is none.
 */
export function findTables(text: string): readonly FoundTable[] {
  const lines = text.split('\n', mostLines).map((line) => (line.length > longestLine ? '' : line.replace(/\r$/u, '')));
  const tables: FoundTable[] = [];
  let at = 0;
  while (at < lines.length && tables.length < mostTables) {
    const found = tableAt(lines, at);
    if (found !== null) tables.push(found.rows);
    at += found?.length ?? 1;
  }
  return tables;
}

interface Found {
  readonly rows: FoundTable;
  readonly length: number;
}

type Split = (line: string) => readonly string[] | null;

function tableAt(lines: readonly string[], at: number): Found | null {
  const line = lines[at] ?? '';
  if (line.trim() === '') return null;
  for (const split of splits) {
    // "1,50" may be one cell or two. Below names of columns it is two.
    if (split === commas && /\d,\d/u.test(line)) continue;
    const found = evenRows(lines, at, split);
    if (found !== null) return found;
  }
  const run = numbersInLine(line);
  return run.length < leastInLine ? null : { rows: run.map((number) => ['', number]), length: 1 };
}

/** "12, 15, 19 and 22": numbers of one line with nothing but marks or one short word between them. */
function numbersInLine(line: string): readonly string[] {
  let run: string[] = [];
  let end = 0;
  for (const { 0: number, index } of line.matchAll(/[-−]?(?:\p{Sc}\s?)?\d(?:[\d.,']*\d)?(?:\s?[%\p{Sc}])?/gu)) {
    const isNext = /^(?:[,;]?\s?\p{L}{1,3}\s|[,;]\s?|\s?\+\s?)$/u.test(line.slice(end, index));
    if (!isNext && run.length >= leastInLine) return run;
    run = isNext ? [...run, number] : [number];
    end = index + number.length;
  }
  return run;
}

/** The line below the head of a Markdown table. */
const isRule = (cells: readonly string[]): boolean => cells.every((cell) => /^:?-{2,}:?$/u.test(cell));

/** As many lines in a row as this way cuts into equally many cells. */
function evenRows(lines: readonly string[], at: number, split: Split): Found | null {
  const rows: (readonly string[])[] = [];
  let width = 0;
  let end = at;
  for (; end < lines.length; end += 1) {
    const cells = split(lines[end] ?? '');
    if (cells === null || cells.length < 2 || (width !== 0 && cells.length !== width)) break;
    // A second rule in a row ends a table, so that lines of rules alone are not read again from each of them.
    if (isRule(cells) && rows.length > 0 && isRule(rows.at(-1) ?? [])) break;
    width = cells.length;
    rows.push(cells);
  }
  const kept = rows.filter((cells) => !isRule(cells));
  return kept.length < leastRows ? null : { rows: kept, length: end - at };
}

const pipes: Split = (line) => {
  const inner = line.trim().replace(/^\|/u, '').replace(/\|$/u, '');
  return line.includes('|') ? inner.split('|').map((cell) => cell.trim()) : null;
};

const tabs: Split = (line) => (line.includes('\t') ? line.split('\t').map((cell) => cell.trim()) : null);

/** A quoted cell may hold the mark. */
function marked(mark: ';' | ','): Split {
  return (line) => {
    if (!line.includes(mark)) return null;
    const { data, errors } = Papa.parse<readonly string[]>(line, { delimiter: mark });
    return errors.length > 0 ? null : (data[0]?.map((cell) => cell.trim()) ?? null);
  };
}

const commas = marked(',');

const columns: Split = (line) => {
  const cells = line
    .trim()
    .split(/\s{2,}/u)
    .map((cell) => cell.trim());
  return cells.length < 2 ? null : cells;
};

/** "- Rent: 1,200" and "Food 80.5 €". */
const labeled: Split = (line) => {
  const plain = line.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])\s+/u, '');
  const found =
    /^(\D{1,80}?)(?:\s*[:=]\s*|\s)([-+−(]?\s?(?:\p{Sc}|[A-Z]{3})?\s?\d[\d.,'’ ]{0,20}(?:\s?[\p{L}%\p{Sc}]{1,4})?\)?)$/u.exec(
      plain,
    );
  const [, label = null, number = ''] = found ?? [];
  if (label !== null && /\p{L}/u.test(label)) return [label.trim(), number.trim()];
  return /^[-+−(]?\s?\p{Sc}?\s?\d[\d.,'’]{0,20}(?:\s?[%\p{Sc}])?\)?$/u.test(plain) ? ['', plain] : null;
};

/** The surer mark comes first: a comma may stand in a number. */
const splits: readonly Split[] = [pipes, tabs, marked(';'), commas, columns, labeled];
