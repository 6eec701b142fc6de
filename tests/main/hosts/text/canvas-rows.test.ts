import { describe, expect, it } from 'vitest';
import { canvasRows } from '../../../../src/main/hosts/text/canvas-rows.ts';
import { htmlText } from '../../../../src/main/hosts/text/html-text.ts';

const rows = (input: unknown, columns = 80): readonly string[] =>
  canvasRows(input, columns).map((row) => row.replace(/^ {2}\| /u, ''));

describe('a canvas in a terminal', () => {
  it('shows a table with headings and numbers at the right, for characters of any width', () => {
    expect(rows({ kind: 'table', title: 'Files', content: 'name,size\na.ts,120\nbé.ts,7\n日本,1' })).toEqual([
      'Files',
      'name   size',
      '─────  ────',
      'a.ts    120',
      'bé.ts     7',
      '日本      1',
    ]);
  });

  it('shows a table that is wider than the terminal as a list', () => {
    const content = `name,about\na,${'word '.repeat(9)}`;
    expect(rows({ kind: 'table', content }, 44).slice(0, 2)).toEqual([
      'name: a',
      'about: word word word word word word wo',
    ]);
  });

  it('shows the numbers of a chart, each with a bar', () => {
    expect(rows({ kind: 'bar', content: 'day,in,out\nMon,60,-30\nTue,,1' })).toEqual([
      'day',
      `Mon  in    60  ${'█'.repeat(30)}`,
      `     out  -30  -${'█'.repeat(15)}`,
      'Tue  in     –',
      '     out    1  ▌',
    ]);
  });

  it('shows the source of a diagram and the words of a page, but no image', () => {
    expect(rows({ kind: 'diagram', content: 'graph TD\n  A --> B' })).toEqual(['graph TD', '  A --> B']);
    expect(rows({ kind: 'html', content: '<h1>Hi</h1><script>x</script><p>a<b>b</b></p>' })).toEqual(['Hi', 'ab']);
    expect(rows({ kind: 'html', content: '<img src=x>' })).toEqual(['(It has no words.)']);
    expect(rows({ kind: 'image', content: 'a.png' })).toEqual([]);
    expect(rows({ kind: 'bar', content: 'x' })).toEqual([]);
  });

  /** Catches: a cell that controls the terminal, or that looks like a line of Dewpoint. */
  it('writes out invisible characters, and marks each row as foreign', () => {
    const input = { kind: 'table', title: '\u001B[2J', content: 'a\n\u202Egpj.exe\u001B[31m' };
    expect(canvasRows(input, 80).every((row) => /^ {2}[|¦] /u.test(row))).toBe(true);
    const shown = canvasRows(input, 80).join('');
    expect(['\u001B', '\u202E'].filter((sign) => shown.includes(sign))).toEqual([]);
    expect(canvasRows({ kind: 'html', content: 'a\u001B[2Jb' }, 80)).toEqual(['  | a<U+001B>[2Jb']);
  });

  it('names a file whose text is not in the event', () => {
    expect(canvasRows({ kind: 'table', path: 'a\u001B.csv' }, 100)).toEqual([
      '  | (a<U+001B>.csv is too long to be shown here. The window shows it.)',
    ]);
    expect(canvasRows({ kind: 'image', path: 'a.png' }, 100)).toEqual([]);
  });

  it('says how many rows it leaves out', () => {
    const all = rows({ kind: 'table', content: `a\n${'x\n'.repeat(900)}` });
    expect(all).toHaveLength(201);
    expect(all.at(-1)).toMatch(/more rows$/u);
  });
});

it('the reader of HTML finds the words of a broken page', () => {
  expect(htmlText('<ul><li>one<li>two &amp; &#x41;&#66;&nope;</ul><!-- no --><style>x</style>')).toBe(
    'one\ntwo & AB&nope;',
  );
  expect(htmlText('a <b')).toBe('a');
  expect(htmlText('<script>never ends')).toBe('');
  expect(htmlText('<table><tr><td>a<td>b<tr><td>c</table>')).toBe('a b\nc');
});
