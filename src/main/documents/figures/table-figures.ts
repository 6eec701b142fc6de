import type { FoundTable } from './find-tables.ts';
import { findTables } from './find-tables.ts';
import type { Cell, Exact } from './read-number.ts';
import { isEqual, isLess, mean, plus, readCell, textOfExact, times, zero } from './read-number.ts';

const mostColumns = 6;
const mostGroups = 8;
const mostGrouped = 2;
/** About 500 tokens for all tables of a message. */
const mostCharacters = 1_600;
const longestName = 40;

/** Rows that hold sums of others, in the languages of the people that we know of. They are never counted twice. */
const totals: ReadonlySet<string> = new Set(
  'total|totals|grand total|subtotal|sub-total|sum|summe|zwischensumme|gesamtsumme|gesamt|insgesamt|total général|sous-total|somme|suma|totales|totale|totali|somma|totaal|subtotaal|soma|итого|всего|合计|总计|小计|合計|小計|総計|합계|총계|toplam|łącznie|razem|celkem|yhteensä|totalt|i alt|σ|∑'.split(
    '|',
  ),
);
/** Numbers that name and do not measure. */
const names = /^(?:id|nr\.?|no\.?|#|№|year|jahr|année|año|anno|ano|год|年|zip|plz|phone|index|row|zeile)$/iu;

type Mark = '.' | ',';

interface Column {
  readonly name: string;
  readonly values: readonly (Exact | null)[];
  readonly unit: string;
  readonly read: string;
}

/**
 * What a program computes of every numeric column in the tables of a text: sums, means, the smallest and largest, also by
 * group. A column with a number that can be read in two ways is left out, and the text says so. `decimal`: the mark before decimals, where that is sure. Null: no such table.
 */
export function tableFigures(text: string, decimal: Mark | null = null): string | null {
  const told = findTables(text).flatMap((table) => figuresOf(table, decimal) ?? []);
  return told.length === 0 ? null : shortened(told);
}

function shortened(told: readonly string[]): string {
  let left = mostCharacters;
  const lines: string[] = [];
  for (const line of told.flatMap((one) => one.split('\n'))) {
    left -= line.length + 1;
    if (left < 0) return [...lines, '(More was left out here.)'].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}

/** A head may be of years, which are numbers, too. */
function isYear(cell: Cell | undefined): boolean {
  if (cell?.type !== 'number' || !cell.isWhole || cell.unit !== '') return false;
  return cell.value.units >= 1_900n && cell.value.units <= 2_100n;
}

function figuresOf(found: FoundTable, decimal: Mark | null): string | null {
  const table = withoutSheetMarks(found);
  const cells = table.map((row) => row.map(readCell));
  const [head = []] = cells;
  const others = cells.slice(1);
  const isNumeric = (rows: readonly (readonly Cell[])[], at: number): boolean => isMeasure(rows.map((row) => row[at]));
  const numeric = head.map((_, at) => at).filter((at) => isNumeric(others, at));
  const hasYears =
    numeric.length > 0 && numeric.every((at) => isYear(head[at]) && !others.every((row) => isYear(row[at])));
  const hasHead =
    hasYears || (numeric.some((at) => head[at]?.type === 'text') && numeric.every((at) => !isNumber(head[at])));
  const titles = hasHead ? (table[0] ?? []) : [];
  const body = (hasHead ? table.slice(1) : table).map((texts, row) => ({
    texts,
    cells: cells[row + (hasHead ? 1 : 0)] ?? [],
  }));
  const sums = body.filter(({ texts }) =>
    texts.some((text) => totals.has(text.replaceAll(/[*:]/gu, '').trim().toLowerCase())),
  );
  const rows = body.filter((row) => !sums.includes(row));
  if (rows.length < 2) return null;
  const seen = numeric.flatMap((at) => rows.flatMap(({ cells: row }) => provedBy(row[at])));
  const marks = new Set<Mark>(decimal === null ? seen : [decimal]);
  const measured = numeric.filter(
    (at) =>
      !isName(
        titles[at] ?? '',
        rows.map(({ cells: row }) => row[at]),
      ),
  );
  const columns: Column[] = [];
  const leftOut: string[] = [];
  for (const at of measured.slice(0, mostColumns)) {
    const name = shortName(titles[at] ?? '', measured.length === 1 ? 'the numbers' : `column ${at + 1}`);
    const column = columnOf(
      name,
      rows.map(({ cells: row }) => row[at]),
      marks,
    );
    if (typeof column === 'string') leftOut.push(`- ${column}`);
    else columns.push(column);
  }
  if (columns.length === 0 && leftOut.length === 0) return null;
  const mark: Mark = marks.has(',') && !marks.has('.') ? ',' : '.';
  const labels = head.map((_, at) => at).filter((at) => !numeric.includes(at));
  const labelAt = labels[0];
  const labelOf = (row: number): string =>
    labelAt === undefined ? '' : shortName(rows[row]?.texts[labelAt] ?? '', '');
  const isList = table.every(([label]) => label === '') && head.length === 2;
  const skipped = sums.length === 0 ? '' : `, without ${sums.length === 1 ? 'the row' : 'the rows'} of totals`;
  return [
    isList ? `List of ${rows.length} numbers:` : `Table with ${rows.length} rows${skipped}:`,
    ...columns.map((column) => lineOf(column, labelOf, mark)),
    ...(sums.length === 0 ? productLines(columns, mark) : []),
    ...labels
      .slice(0, 4)
      .flatMap((at) =>
        groupLines(
          { name: shortName(titles[at] ?? '', `column ${at + 1}`), texts: rows.map(({ texts }) => texts[at] ?? '') },
          columns,
          mark,
        ),
      )
      .slice(0, mostGrouped * 3),
    ...leftOut,
  ].join('\n');
}

/** The text of a sheet begins with the letters of its columns, and each row with its number. */
function withoutSheetMarks(table: FoundTable): FoundTable {
  const [first = []] = table;
  const isSheet = first[0] === '' && first[1] === 'A' && first.slice(1).every((cell) => /^[A-Z]{1,2}$/u.test(cell));
  return isSheet ? table.slice(1).map((row) => row.slice(1)) : table;
}

const isNumber = (cell: Cell | undefined): boolean => cell?.type === 'number' || cell?.type === 'either';

/** Whether at least two cells are numbers, and at most one in five is something else. */
function isMeasure(cells: readonly (Cell | undefined)[]): boolean {
  const numbers = cells.filter(isNumber).length;
  const texts = cells.filter((cell) => cell?.type === 'text').length;
  return numbers >= 2 && texts * 5 <= numbers;
}

/** Years, and numbers that only count the rows, have no sum. */
function isName(title: string, cells: readonly (Cell | undefined)[]): boolean {
  const values = cells.flatMap((cell) =>
    cell?.type === 'number' && cell.isWhole && cell.unit === '' ? [cell.value.units] : [],
  );
  const isCount =
    values.length === cells.length && values.length >= 3 && values.every((value, at) => value === BigInt(at + 1));
  const isYear = values.length === cells.length && values.every((value) => value >= 1900n && value <= 2100n);
  return names.test(title.trim()) || isYear || (isCount && title.trim().length < 3);
}

const provedBy = (cell: Cell | undefined): readonly Mark[] =>
  cell?.type === 'number' && cell.proves !== null ? [cell.proves] : [];

/** A text says why the column is left out. */
function columnOf(name: string, cells: readonly (Cell | undefined)[], marks: ReadonlySet<Mark>): Column | string {
  const units = new Set(
    cells.flatMap((cell) => (cell?.type === 'number' || cell?.type === 'either' ? [cell.unit] : [])),
  );
  if (units.size > 1)
    return `${name}: left out, because its units differ (${[...units]
      .map((unit) => unit || 'none')
      .slice(0, 4)
      .join(', ')}).`;
  const own = new Set(cells.flatMap(provedBy));
  const proof = own.size > 0 ? own : marks;
  const [proved] = proof.size === 1 ? [...proof] : [];
  const wholes = cells.flatMap((cell) =>
    cell?.type === 'number' && cell.isWhole && cell.proves === null ? [cell.value.units] : [],
  );
  // Who writes 950 and 1,200 in one column groups thousands.
  const isGrouped = proof.size === 0 && wholes.some((value) => value >= 100n) && wholes.every((value) => value < 1000n);
  const either = cells.find((cell) => cell?.type === 'either');
  const eithers = new Set(cells.flatMap((cell) => (cell?.type === 'either' ? [cell.mark] : [])));
  if (either?.type === 'either' && proved === undefined && (!isGrouped || eithers.size > 1))
    return `${name}: left out, because "${either.written}" can be read as ${textOfExact(either.grouped, '.')} and as ${textOfExact(either.decimal, either.mark)}.`;
  const values = cells.map((cell): Exact | null => {
    if (cell?.type === 'number') return cell.value;
    if (cell?.type !== 'either') return null;
    return proved === cell.mark ? cell.decimal : cell.grouped;
  });
  const read =
    either?.type === 'either'
      ? `, "${either.written}" read as ${textOfExact(proved === either.mark ? either.decimal : either.grouped, proved ?? '.')}`
      : '';
  return { name, values, unit: [...units][0] ?? '', read };
}

function shortName(text: string, otherwise: string): string {
  const plain = text
    .replaceAll(/[*`\s]+/gu, ' ')
    .trim()
    .slice(0, longestName);
  return plain === '' ? otherwise : plain;
}

const shown = (value: Exact, { unit }: Pick<Column, 'unit'>, mark: Mark): string =>
  `${textOfExact(value, mark)}${unit === '' ? '' : ` ${unit}`}`;

function lineOf(column: Column, labelOf: (row: number) => string, mark: Mark): string {
  const { name, values, read } = column;
  const found = values.flatMap((value, row) => (value === null ? [] : [{ value, row }]));
  const sum = found.reduce((all, { value }) => plus(all, value), zero);
  const average = mean(sum, found.length);
  const end = (isBetter: (left: Exact, right: Exact) => boolean): string => {
    const best = found.reduce((left, right) => (isBetter(right.value, left.value) ? right : left));
    const others = found.filter(({ value }) => isEqual(value, best.value)).length - 1;
    const label = labelOf(best.row);
    const where = label === '' ? '' : ` (${label}${others === 0 ? '' : ` and ${others} more`})`;
    return `${shown(best.value, column, mark)}${where}`;
  };
  const empty = values.length - found.length;
  const left = empty === 0 ? '' : `, ${empty} without a number`;
  const about = average.isRounded ? 'rounded ' : '';
  return `- ${name}: sum ${shown(sum, column, mark)}; mean ${about}${shown(average.value, column, mark)}; smallest ${end(isLess)}; largest ${end((one, other) => isLess(other, one))}; ${found.length} numbers${left}${read}`;
}

/** Amounts and prices: what they come to together. */
function productLines(columns: readonly Column[], mark: Mark): readonly string[] {
  const [one, other] = columns;
  if (columns.length !== 2 || one === undefined || other === undefined) return [];
  const isAmount = ({ values, unit }: Column): boolean =>
    unit === '' && values.every((value) => value?.decimals === 0 && value.units >= 0n);
  if (isAmount(one) === isAmount(other)) return [];
  const price = isAmount(one) ? other : one;
  if (price.values.some((value) => value === null)) return [];
  const sum = one.values.reduce<Exact>(
    (all, value, row) => plus(all, times(value ?? zero, other.values[row] ?? zero)),
    zero,
  );
  return [`- ${one.name} times ${other.name} in each row, summed: ${shown(sum, price, mark)}`];
}

/** The sums by the words of a column in which they repeat. */
function groupLines(
  { name, texts }: { readonly name: string; readonly texts: readonly string[] },
  columns: readonly Column[],
  mark: Mark,
): readonly string[] {
  const groups = Map.groupBy(
    texts.map((text, row) => ({ text: shortName(text, '(empty)'), row })),
    ({ text }) => text,
  );
  if (groups.size < 2 || groups.size > mostGroups || groups.size === texts.length) return [];
  return columns.slice(0, 3).map((column) => {
    const sums = [...groups].map(([text, rows]) => {
      const sum = rows.reduce((all, { row }) => plus(all, column.values[row] ?? zero), zero);
      return `${text} ${shown(sum, column, mark)} (${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;
    });
    return `- Sum of ${column.name} by ${name}: ${sums.join('; ')}`;
  });
}
