import { expect, it } from 'vitest';
import { csvOf, markdownOf } from '../../../../src/renderer/lib/text/table-text.ts';
import { csvRows } from '../../../../src/shared/text/csv-text.ts';

const cells = [
  ['name', 'says'],
  ['a, b', 'he said "no"'],
  ['two\nlines', 'x | y'],
  ['', 'ä'],
];

/** Catches: a copied table that another program splits into other cells. */
it('the text of a table as CSV reads back the same, by commas, semicolons and tabs', () => {
  expect(csvOf(cells)).toBe('name,says\r\n"a, b","he said ""no"""\r\n"two\nlines",x | y\r\n,ä\r\n');
  expect(csvRows(csvOf(cells), 100)).toEqual(cells);
  expect(csvRows('a;b,c;d\n1;2;3', 100)).toEqual([
    ['a', 'b,c', 'd'],
    ['1', '2', '3'],
  ]);
  expect(csvRows('a\tb\n\n', 100)).toEqual([['a', 'b'], ['']]);
  expect(csvRows('a\nb\nc', 2)).toEqual([['a'], ['b']]);
});

it('the text of a table as Markdown has no cell that ends early', () => {
  expect(markdownOf([...cells.slice(0, 1), ...cells.slice(2)])).toBe(
    '| name      | says   |\n| --------- | ------ |\n| two lines | x \\| y |\n|           | ä      |\n',
  );
});
