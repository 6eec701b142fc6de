import { describe, expect, it } from 'vitest';
import { pairRows } from '../../bench/lib/known-pairs.ts';
import type { TaskRecord } from '../../bench/lib/results.ts';
import { aRecord } from './bench-kit.ts';

const without = ['names', 'diagnostics'] as const;
const switches = 'kept answers, without names, without diagnostics';
const pair = (task: string, whole: Partial<TaskRecord>, part: Partial<TaskRecord>): readonly TaskRecord[] => [
  aRecord({ task, switches: 'kept answers', ...whole }),
  aRecord({ task, switches, ...part }),
];
const rowsOf = (records: readonly TaskRecord[]) =>
  Object.fromEntries(pairRows(records, { without }).map(({ figure, value, note }) => [figure, { value, note }]));
const side = 'qwen2.5-coder-1.5b recipe';

describe('the figures of pairs', () => {
  it('say how many tasks each way solves, and the difference with its interval', () => {
    const rows = rowsOf([
      ...pair('t-1', { solved: true }, { solved: false }),
      ...pair('t-2', { solved: true }, { solved: true }),
      ...pair('t-3', { solved: false }, { solved: false }),
      ...pair('t-4', { solved: false }, { solved: false }),
    ]);
    expect(rows[`${side}: solved with names and diagnostics`]?.value).toBe(2);
    expect(rows[`${side}: solved without them`]?.value).toBe(1);
    expect(rows[`${side}: points that they add`]).toEqual({
      value: 25,
      note: expect.stringContaining('4 pairs, 95 % interval'),
    });
  });

  it('leave out a task that was tried in one way alone', () => {
    const rows = rowsOf([
      ...pair('t-1', { solved: true }, { solved: true }),
      ...pair('t-2', { solved: true }, { solved: false, fault: 'No sandbox.' }),
      aRecord({ task: 't-3' }),
    ]);
    expect(rows[`${side}: solved with names and diagnostics`]?.note).toContain('of 1,');
  });

  it('count the tasks with another request apart from those with more of the same', () => {
    const rows = rowsOf([
      ...pair('t-1', { asked: ['a', 'b'] }, { asked: ['a', 'c'] }),
      ...pair('t-2', { asked: ['a', 'b'] }, { asked: ['a', 'b', 'c'] }),
      ...pair('t-3', { asked: ['a'] }, { asked: ['a'] }),
    ]);
    expect(rows[`${side}: tasks in which a model was asked something else`]).toEqual({
      value: 1,
      note: 'of 3; in 1 more, it was asked more often in one of the two',
    });
  });

  it('have no difference without a pair', () => {
    expect(rowsOf([aRecord({ task: 't-1' })])[`${side}: points that they add`]).toEqual({
      value: null,
      note: 'no pair',
    });
  });
});
