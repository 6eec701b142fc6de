import { describe, expect, it } from 'vitest';
import { tableFigures } from '../../../../src/main/documents/figures/table-figures.ts';

const lines = (...all: readonly string[]): string => all.join('\n');
const lineOf = (text: string, name: string): string | undefined =>
  tableFigures(text)
    ?.split('\n')
    .find((line) => line.startsWith(`- ${name}`));

describe('the figures of a table in a message', () => {
  // Bug: a head of years was a row of numbers, and was added up with them.
  it('takes years above the columns for their names', () => {
    const told = tableFigures('Name|2023|2024\nA|10|20\nB|30|40') ?? '';
    expect(told).toContain('2023: sum 40;');
    expect(told).toContain('2024: sum 60;');
  });

  it('reads lines of rules alone once', () => {
    expect(tableFigures('--|--\n'.repeat(20_000))).toBeNull();
  });

  it('are computed for a table of Markdown, with the rows of the smallest and the largest', () => {
    const text = lines(
      'What did I spend?',
      '| Item | Cost |',
      '|---|---:|',
      '| Rent | 1,200.00 |',
      '| Food | **450.50** |',
      '| Bus | 80 |',
    );
    expect(lineOf(text, 'Cost')).toBe(
      '- Cost: sum 1730.50; mean rounded 576.8333; smallest 80 (Bus); largest 1200 (Rent); 3 numbers',
    );
  });

  it.each([
    ['tabs', 'Pen\t3\nBook\t2\nBag\t1', 'sum 6'],
    ['semicolons and decimal commas', 'Was;Preis\nBrot;2,30\nMilch;1,50\nKäse;4,25', 'sum 8,05'],
    ['commas and quoted cells', 'item,price\n"Nuts, salted","1,200.50"\nTea,3.25\nRice,2.00', 'sum 1205.75'],
    ['columns with spaces', 'Name    Points\nAnn     12\nBob     15', 'sum 27'],
    ['lines with a name', '- Miete: 850,00 €\n- Strom: 85,50 €\n- Essen: 430 €', 'sum 1365,50 €'],
    ['lines of numbers alone', '€ 12,50\n€ 3,00\n€ 1,25', 'sum 16,75 €'],
    ['one line', 'Mean of 12, 15, 19 and 22?', 'mean 17;'],
    ['spaces between thousands', 'a;b\nx;1 200,50\ny;3 400,00', 'sum 4600,50'],
    ['apostrophes between thousands', "a;b\nx;1'200.50\ny;3'400.00", 'sum 4600.50'],
    ['groups of India', 'a;b\nx;1,20,000\ny;2,30,500', 'sum 350500'],
    ['minus signs and parentheses', 'a;b\nx;(100.50)\ny;−20\nz;50', 'sum -70.50'],
    ['percentages', 'a;b\nx;5 %\ny;7 %', 'mean 6 %'],
  ])('are computed for %s', (_, text, figure) => {
    expect(tableFigures(text)).toContain(figure);
  });

  it('are exact where floating numbers are not', () => {
    expect(tableFigures('a;b\nx;0.1\ny;0.2\nz;9007199254740993')).toContain('sum 9007199254740993.3');
  });

  it('say which cells have no number', () => {
    expect(lineOf('n;v\na;1\nb;\nc;n/a\nd;5', 'v')).toContain(
      'mean 3; smallest 1 (a); largest 5 (d); 2 numbers, 2 without a number',
    );
  });

  it('leave a number out that can be read in two ways, and say so', () => {
    expect(lineOf('n;v\na;1.234\nb;2.345', 'v')).toBe(
      '- v: left out, because "1.234" can be read as 1234 and as 1.234.',
    );
  });

  it.each([
    ['another number that has decimals', 'n;v\na;1.234\nb;2,50', 'sum 1236,50', '"1.234" read as 1234'],
    ['a smaller number beside it', 'n;v\na;1,200\nb;950', 'sum 2150', '"1,200" read as 1200'],
    ['the same mark before two decimals', 'n;v\na;1.234\nb;2.50', 'sum 3.734', '"1.234" read as 1.234'],
  ])('read such a number by %s, and say how', (_, text, sum, how) => {
    expect(tableFigures(text)).toContain(sum);
    expect(tableFigures(text)).toContain(how);
  });

  it('read the numbers of a workbook with a point', () => {
    const sheet = ',A,B\n1,Item,Cost\n2,Rent,1.234\n3,Food,2.345';
    expect(tableFigures(sheet)).toContain('left out');
    expect(tableFigures(sheet, '.')).toContain('sum 3.579');
  });

  it('leave out a column whose units differ', () => {
    expect(lineOf('n;v\na;$5\nb;€6', 'v')).toBe('- v: left out, because its units differ ($, €).');
  });

  it('count no row of totals', () => {
    expect(tableFigures('n;v\na;5\nb;6\nGesamt:;11')).toContain('without the row of totals:\n- v: sum 11;');
  });

  it('are summed by the words that repeat in a column', () => {
    expect(tableFigures('Where;v\nNorth;5\nSouth;6\nNorth;7')).toContain(
      '- Sum of v by Where: North 12 (2 rows); South 6 (1 row)',
    );
  });

  it('multiply amounts by prices', () => {
    expect(tableFigures('Item;Qty;Price\nPen;3;1.20\nBag;1;30.00')).toContain(
      '- Qty times Price in each row, summed: 33.60',
    );
    // A column with a total has the sums of its rows already.
    expect(tableFigures('Item;Qty;Cost\nPen;3;3.60\nBag;1;30.00\nTotal;4;33.60')).not.toContain('times');
  });

  it.each([
    ['prose with commas', 'I like apples, pears and figs.\nWe went home, and slept.\nThen we ate, and sang.'],
    ['decimals that look like two cells', 'Preise\n1,5\n2,5 kg,3'],
    ['times and dates', 'At 10:30, 11:15, 12:00 and 13:45 on 2026-01-05, 2026-01-06, 2026-01-07'],
    ['telephone numbers', 'phone: +49 171 555 1234\nfax: +49 171 555 1235\nhome: 030 1234567'],
    ['code', 'const a = [1, 2];\nconst b = f(a, 3);\nreturn a || b;'],
    ['dates with leading zeros', 'Tag;Datum\na;01.11\nb;02.11\nc;03.11'],
    ['days of a month', 'Wer;Wann\na;3 Mar\nb;9 März\nc;12 avril'],
    ['years', 'Name;Year\na;2020\nb;2021\nc;2022'],
    ['the numbers of the rows', '#;Name\n1;Ann\n2;Bob\n3;Cid'],
  ])('are none for %s', (_, text) => {
    expect(tableFigures(text)).toBeNull();
  });

  it('take at most about 500 tokens', () => {
    const head = Array.from({ length: 30 }, (_, at) => `a long name of column ${at}`).join(';');
    const row = Array.from({ length: 30 }, (_, at) => `${at}.50`).join(';');
    const told = tableFigures(lines(head, ...Array.from({ length: 500 }, () => row))) ?? '';
    expect(told).toContain('sum');
    expect(told.length).toBeLessThan(1_700);
  });
});
