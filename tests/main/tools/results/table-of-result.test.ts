import { describe, expect, it } from 'vitest';
import { readCanvas } from '../../../../src/shared/tools/canvas.ts';
import { tableOfResult } from '../../../../src/main/tools/results/table-of-result.ts';

const issues = [
  { number: 1, title: 'It says "no", twice', isOpen: true },
  { number: 2, title: 'A; b\tc\nd', note: null, author: 'Å' },
];

const drawn = (structured: unknown) => {
  const table = tableOfResult(structured);
  const read = readCanvas(table);
  return table === null ? null : read.ok && read.canvas.kind === 'table' ? read.canvas : read;
};

describe('the table of a tool result', () => {
  it('is made from a list of flat objects, with the columns of all', () => {
    const columns = ['number', 'title', 'isOpen', 'note', 'author'];
    const rows = [
      ['1', 'It says "no", twice', 'true', '', ''],
      ['2', 'A; b\tc\nd', '', '', 'Å'],
    ];
    expect(drawn(issues)).toEqual({ kind: 'table', title: '', columns, rows });
    expect(drawn({ count: 2, tags: ['a'], issues })).toEqual({ kind: 'table', title: 'issues', columns, rows });
  });

  it.each([
    ['a text', 'issues'],
    ['nothing', undefined],
    ['an empty list', { issues: [] }],
    ['a list of texts', ['a', 'b']],
    ['objects in objects', [{ user: { name: 'a' } }]],
    ['objects without fields', [{}, {}]],
    ['more columns than are drawn', [Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`c${at}`, at]))]],
    [
      'one row of more than there is room for',
      [Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${'c'.repeat(900)}${at}`, at]))],
    ],
  ])('is not made from %s', (_name, structured) => {
    expect(tableOfResult(structured)).toBeNull();
  });

  // Catches: a table that fills the log, and one that does not say what it leaves out.
  it('is cut to the room there is, and says how much it shows', () => {
    const many = Array.from({ length: 5_000 }, (_, number) => ({ number, title: '"'.repeat(300) }));
    const table = tableOfResult({ many });
    expect(Buffer.byteLength(JSON.stringify(table))).toBeLessThan(30_000);
    expect(table?.title).toMatch(/^many \(\d+ of 5000 rows\)$/u);
    expect(drawn({ many })).toMatchObject({ kind: 'table' });
  });

  it('has the right cells, whatever the fields are called', () => {
    const odd: unknown = JSON.parse(
      '[{"__proto__": "a", "toString": "b"}, {"constructor": "c", "b;c": "d", "x,y": "e"}]',
    );
    expect(drawn(odd)).toMatchObject({
      columns: ['__proto__', 'toString', 'constructor', 'b c', 'x,y'],
      rows: [
        ['a', 'b', '', '', ''],
        ['', '', 'c', 'd', 'e'],
      ],
    });
  });
});
