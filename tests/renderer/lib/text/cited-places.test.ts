import { describe, expect, it } from 'vitest';
import { citationsIn } from '../../../../src/renderer/lib/text/cited-places.ts';

const placesIn = (text: string) =>
  citationsIn(text).map(({ start, end, place }) => ({ words: text.slice(start, end), ...place }));

describe('citations in an answer', () => {
  it.each([
    ['See report.pdf, page 3.', 'report.pdf, page 3', { path: 'report.pdf', part: { word: 'page', number: 3 } }],
    [
      '(docs/a.pdf:118, page 12)',
      'docs/a.pdf:118, page 12',
      { path: 'docs/a.pdf', line: 118, part: { word: 'page', number: 12 } },
    ],
    ['It is in report.pdf (page 4).', 'report.pdf (page 4', { path: 'report.pdf', part: { word: 'page', number: 4 } }],
    ['report.pdf, pp. 4-6 says', 'report.pdf, pp. 4-6', { path: 'report.pdf', part: { word: 'page', number: 4 } }],
    ['notes.md:12 says', 'notes.md:12', { path: 'notes.md', line: 12 }],
    ['./guide/notes.md:12-20', './guide/notes.md:12-20', { path: 'guide/notes.md', line: 12 }],
    ['notes.txt, line 7', 'notes.txt, line 7', { path: 'notes.txt', line: 7 }],
    // Bug: models cite code by file and line, and nothing happened on a click.
    ['(calculator.py:15).', 'calculator.py:15', { path: 'calculator.py', line: 15 }],
    ['src/app.tsx, line 7', 'src/app.tsx, line 7', { path: 'src/app.tsx', line: 7 }],
    ['run.ipynb, cell 4', 'run.ipynb, cell 4', { path: 'run.ipynb', part: { word: 'cell', number: 4 } }],
    ['sales.xlsx, May!B4', 'sales.xlsx, May!B4', { path: 'sales.xlsx', cell: { sheet: 'May', cell: 'B4' } }],
    [
      "sales.xlsx 'May 26'!$B$4",
      "sales.xlsx 'May 26'!$B$4",
      { path: 'sales.xlsx', cell: { sheet: 'May 26', cell: 'B4' } },
    ],
    ['Отчёт.pdf, page 2', 'Отчёт.pdf, page 2', { path: 'Отчёт.pdf', part: { word: 'page', number: 2 } }],
  ])('reads %j', (text, words, place) => {
    expect(placesIn(text)).toEqual([{ words, ...place }]);
  });

  it('takes a cell without a file for one of the workbook before it', () => {
    expect(placesIn('sales.xlsx, May!B4 and June!C5').map(({ path, cell }) => [path, cell?.sheet])).toEqual([
      ['sales.xlsx', 'May'],
      ['sales.xlsx', 'June'],
    ]);
  });

  it.each([
    'report.pdf is long',
    'version 3.5, page 2',
    'a.mdx.bak: 3 x',
    'at 10.30:15',
    'Math.max, page 3',
    'notes.md: 12 points',
    'May!B4',
    'see src/app.ts',
  ])('reads none in %j', (text) => {
    expect(placesIn(text)).toEqual([]);
  });
});
