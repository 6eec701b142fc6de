import { describe, expect, it } from 'vitest';
import { type BenchRow, hasMissed, isMet } from '../../bench/lib/rows.ts';
import { formatColumns, formatMarkdown, formatNumber, formatRows } from '../../bench/lib/table.ts';

const row = (change: Partial<BenchRow>): BenchRow => ({ figure: 'x', value: 1, unit: 'ms', target: null, ...change });

describe('a figure', () => {
  it.each([
    ['reaches an upper end that it touches', row({ value: 5, target: { atMost: 5 } }), true],
    ['misses an upper end', row({ value: 5.01, target: { atMost: 5 } }), false],
    ['reaches a lower end that it touches', row({ value: 80, target: { atLeast: 80 } }), true],
    ['misses a lower end', row({ value: 79.9, target: { atLeast: 80 } }), false],
    ['misses its target when it could not be measured', row({ value: null, target: { atMost: 5 } }), false],
    ['misses its target when it is no number', row({ value: Number.NaN, target: { atLeast: 0 } }), false],
    ['without a target is neither', row({ value: null }), null],
  ])('%s', (_name, figure, met) => {
    expect(isMet(figure)).toBe(met);
    expect(hasMissed([row({}), figure])).toBe(met === false);
  });
});

describe('the table of figures', () => {
  it('shows value, unit, target and whether the target is reached', () => {
    const rows = [
      row({ figure: 'help', value: 123.4, target: { atMost: 300 }, note: 'median of 10' }),
      row({ figure: 'solved', value: 45.45, unit: '%', target: { atLeast: 80 } }),
      row({ figure: 'gone', value: null, unit: 's' }),
    ];
    expect(formatRows(rows)).toBe(
      [
        'figure  value  unit  target  ok   note',
        'help      123  ms    <= 300  yes  median of 10',
        'solved   45.5  %     >= 80   NO',
        'gone        -  s',
      ].join('\n'),
    );
  });

  it('never rounds a small figure to 0', () => {
    expect([0, 0.0042, 0.5, 1.234, 12.34, 123.4, -0.25].map(formatNumber)).toEqual([
      '0',
      '0.004',
      '0.5',
      '1.23',
      '12.3',
      '123',
      '-0.25',
    ]);
  });

  it('accepts no rows and rows with missing cells', () => {
    expect(formatColumns([])).toBe('');
    expect(formatColumns([['a', 'b'], ['long']])).toBe('a     b\nlong');
  });

  it('keeps bars and line breaks out of Markdown cells', () => {
    expect(
      formatMarkdown([
        ['a', 'b'],
        ['x|y', '1\n2'],
      ]),
    ).toBe('| a | b |\n|---|---|\n| x\\|y | 1 2 |');
  });
});
