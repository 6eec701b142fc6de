import { describe, expect, it } from 'vitest';
import { canvasSummary, chartInFence, chartsInText, readCanvas } from '../../../src/shared/tools/canvas.ts';

const problemOf = (input: unknown): string => {
  const read = readCanvas(input);
  return read.ok ? '' : read.problem;
};

describe('a drawing by a tool call', () => {
  it('can be a table in CSV, also with blanks before quotes and short rows', () => {
    const read = readCanvas({ kind: 'table', title: 'T', content: 'a, b\n1, "x, ""y"""\n\n2\n' });
    expect(read).toEqual({
      ok: true,
      canvas: {
        kind: 'table',
        title: 'T',
        columns: ['a', 'b'],
        rows: [
          ['1', 'x, "y"'],
          ['2', ''],
        ],
      },
    });
  });

  it('can be a chart of named series, with gaps for missing numbers', () => {
    const read = readCanvas({ kind: 'line', content: 'day,in,out\nMon,1.5,-2e3\nTue,,7' });
    expect(read).toEqual({
      ok: true,
      canvas: {
        kind: 'line',
        title: '',
        axis: 'day',
        labels: ['Mon', 'Tue'],
        series: [
          { name: 'in', values: [1.5, null] },
          { name: 'out', values: [-2000, 7] },
        ],
      },
    });
    expect(read.ok && canvasSummary(read.canvas)).toBe('line chart, 2 × 2');
  });

  /** Catches: a chart that is drawn wrong or is too much for the page, although the model should get an error. */
  it.each([
    [{ kind: 'cube', content: 'x' }, 'a kind'],
    [null, 'a kind'],
    [{ kind: 'bar', content: 7 }, 'a content'],
    [{ kind: 'bar', content: ' \n ' }, 'empty'],
    [{ kind: 'bar', content: 'a,b' }, 'no row'],
    [{ kind: 'bar', content: 'a\n1' }, 'no column of numbers'],
    [{ kind: 'bar', content: 'a,b\nx,12 %' }, 'Row 1 of "b" is no number: "12 %"'],
    [{ kind: 'bar', content: 'a,b\nx,Infinity' }, 'is no number'],
    [{ kind: 'bar', content: 'a,b\nx,1e300' }, 'is no number'],
    [{ kind: 'bar', content: 'a,b\nx,' }, 'not one number'],
    [{ kind: 'bar', content: 'a,b\nx,1,2' }, 'Row 1 has 3 cells'],
    [{ kind: 'bar', content: `a,${'b,'.repeat(8)}c\nx` }, 'at most 8'],
    [{ kind: 'pie', content: 'a,b,c\nx,1,2' }, 'at most 1'],
    [{ kind: 'pie', content: 'a,b\nx,-1\ny,2' }, 'below 0'],
    [{ kind: 'pie', content: 'a,b\nx,0' }, 'below 0'],
    [{ kind: 'pie', content: `a,b\n${'x,1\n'.repeat(17)}` }, 'The limit is 16'],
    [{ kind: 'line', content: `a,b\n${'x,1\n'.repeat(501)}` }, 'The limit is 500'],
    [{ kind: 'table', content: `a\n${'x\n'.repeat(1001)}` }, 'The limit is 1000'],
    [{ kind: 'table', content: `${'a,'.repeat(30)}b\nx` }, 'The limit is 30'],
    [{ kind: 'html', content: 'x'.repeat(500_001) }, 'The limit is 500000'],
    [{ kind: 'diagram', content: 'x'.repeat(20_001) }, 'The limit is 20000'],
  ])('is refused with the error: %j', (input, problem) => {
    expect(problemOf(input)).toContain(problem);
  });
});

describe('a drawing in an answer', () => {
  it('is a closed code block named after a chart', () => {
    const bar = '```chart-bar\nDay,Sold\nMon,3\n```';
    const other = '```csv\n```chart-pie\na,1\n```';
    const text = `Sales:\n\n${bar}\n\n${other}\n  ${bar.replaceAll('\n', '\n  ')}\n\n\`\`\`chart-line\nDay,Sold`;
    const chart = { kind: 'bar', content: 'Day,Sold\nMon,3' };
    expect(chartsInText(text)[0]).toEqual(chart);
    expect(chartsInText(text)).toHaveLength(2);
    expect(chartsInText(text).every((one) => readCanvas(one).ok)).toBe(true);
  });

  it('is not made from a block with another name, such as a page or a picture', () => {
    const names = ['', 'chart', 'bar', 'html', 'chart-html', 'chart-svg', 'chart-image', 'chart-table', 'mermaid'];
    expect(names.map((name) => chartInFence(name, 'a,b\nc,1'))).toEqual(names.map(() => null));
  });
});
