import { describe, expect, it } from 'vitest';
import { reportOf } from '../../bench/lib/report.ts';
import type { TaskRecord } from '../../bench/lib/results.ts';
import { isMet } from '../../bench/lib/rows.ts';
import { armCells, compareStrategies, comparisonRows, summarize, taskRows } from '../../bench/lib/summary.ts';
import { parseTaskOptions, starterModel } from '../../bench/lib/task-options.ts';
import { aRecord } from './bench-kit.ts';

const many = (count: number, change: (index: number) => Partial<TaskRecord>): readonly TaskRecord[] =>
  Array.from({ length: count }, (_, index) => aRecord({ task: `t-${index}`, ...change(index) }));
const options = (args: string) => parseTaskOptions(args.split(' ').filter((word) => word !== ''));

describe('the summary', () => {
  it('counts the tasks of a kind, with the times of the solved ones only', () => {
    const records = many(4, (index) => ({
      solved: index < 3,
      seconds: [10, 30, 20, 900][index] ?? 0,
      status: index < 3 ? 'done' : 'gave-up',
      accepted: index < 3,
    }));
    expect(summarize(records)).toEqual([
      expect.objectContaining({
        model: starterModel,
        strategy: 'recipe',
        kind: 'small',
        total: 4,
        solved: 3,
        medianSeconds: 20,
        longestSeconds: 30,
        steps: 2,
        inputTokens: 120,
        outputTokens: 30,
        accepted: 3,
        falseAccepts: 0,
      }),
    ]);
  });

  it('has a row for all kinds when there is more than one', () => {
    const records = [
      aRecord(),
      aRecord({ kind: 'planted', solved: false }),
      aRecord({ kind: 'question', accepted: false }),
    ];
    expect(summarize(records).map(({ kind, solved, total }) => `${kind} ${solved}/${total}`)).toEqual([
      'small 1/1',
      'planted 0/1',
      'question 1/1',
      'all 2/3',
    ]);
  });

  it('counts false accepts, and separately those not marked as weak', () => {
    const records = [
      aRecord(),
      aRecord({ solved: false }),
      aRecord({ solved: false, confidence: 'weak-tests' }),
      aRecord({ solved: false, accepted: false, status: 'gave-up' }),
    ];
    expect(summarize(records)[0]).toMatchObject({ accepted: 3, falseAccepts: 2, acceptedFirmly: 2, falseFirmly: 1 });
  });

  it('counts a proposal as a change that no test could judge, and says how long giving up took', () => {
    const records = [
      aRecord({ solved: false, confidence: 'proposed' }),
      ...[80, 100, 300].map((seconds) => aRecord({ solved: false, accepted: false, status: 'gave-up', seconds })),
    ];
    const [one] = summarize(records);
    expect(one).toMatchObject({ unchecked: 1, falseUnchecked: 1, acceptedFirmly: 0, givenUp: 3, giveUpSeconds: 100 });
    const rows = taskRows(records, options('--split held'));
    expect(rows.find(({ figure }) => figure.includes('given up'))).toMatchObject({
      value: 100,
      target: { atMost: 120 },
    });
  });

  it('keeps models and strategies apart', () => {
    const records = [aRecord(), aRecord({ strategy: 'loop' }), aRecord({ model: 'a/b' })];
    expect(summarize(records).map(({ model, strategy, total }) => `${model} ${strategy} ${total}`)).toEqual([
      `${starterModel} recipe 1`,
      `${starterModel} loop 1`,
      'a/b recipe 1',
    ]);
  });

  it('names the tasks that each part solved, and marks the wrong ones', () => {
    const records = [
      aRecord({ task: 'a-1' }),
      aRecord({ task: 'a-2', solved: false }),
      aRecord({ task: 'a-3', arm: 'mechanical' }),
      aRecord({ arm: null }),
    ];
    expect(armCells(records).slice(1)).toEqual([
      ['recipe fix', '2', '1', 'a-1 !a-2'],
      ['recipe mechanical', '1', '1', 'a-3'],
    ]);
  });
});

describe('the comparison of strategies', () => {
  const recipe = many(10, (index) => ({ solved: index < 8 }));
  const loop = many(10, (index) => ({ strategy: 'loop', solved: index < 2 }));

  it('pairs the same tasks', () => {
    expect(compareStrategies([...recipe, ...loop])).toEqual(
      ['small', 'all'].map((kind) =>
        expect.objectContaining({ kind, value: expect.closeTo(0.6, 9), method: 'Newcombe, paired' }),
      ),
    );
    expect(comparisonRows([...recipe, ...loop])[0]).toMatchObject({ value: expect.closeTo(60, 9), target: null });
  });

  it('treats different tasks as independent samples', () => {
    expect(compareStrategies([...recipe, ...loop.slice(1)])[0]).toMatchObject({ method: 'Newcombe, unpaired' });
  });

  it('is empty for one strategy', () => {
    expect(compareStrategies(recipe)).toEqual([]);
  });
});

describe('the figures of the tasks', () => {
  const held = '--split held';
  const targets = (args: string, records: readonly TaskRecord[]): readonly string[] =>
    taskRows(records, options(args)).flatMap((row) => {
      const met = isMet(row);
      return met === null ? [] : [`${row.figure.replace('qwen2.5-coder-1.5b ', '')}: ${met ? 'ok' : 'missed'}`];
    });
  const good = [
    ...many(10, (index) => ({ solved: index < 8, accepted: index < 8 })),
    ...many(10, (index) => ({ kind: 'two-file', solved: index < 5, accepted: index < 5 })),
  ];

  it('have targets only for a plain run on the measured half', () => {
    expect(targets(held, good)).toEqual([
      'recipe, small: solved: ok',
      'recipe, small: median time of a solved task: ok',
      'recipe, small: longest time of a solved task: ok',
      'recipe, two-file: solved: ok',
      'recipe, two-file: longest time of a solved task: ok',
      'recipe, all: longest time of a solved task: ok',
      'recipe: guarded files changed: ok',
      'recipe: workspace left worse: ok',
      'recipe: false accepts, not marked weak tests: ok',
    ]);
  });

  it.each([
    ['too few small ones', { kind: 'small', solved: false, accepted: false }, 3, 'recipe, small: solved: missed'],
    ['slow ones', { kind: 'small', seconds: 61 }, 10, 'recipe, small: median time of a solved task: missed'],
    ['a very slow one', { kind: 'small', seconds: 301 }, 1, 'recipe, small: longest time of a solved task: missed'],
    ['a changed test', { kind: 'small', guarded: ['test_a.py'] }, 1, 'recipe: guarded files changed: missed'],
    ['a lost test', { kind: 'small', worse: ['x'] }, 1, 'recipe: workspace left worse: missed'],
    [
      'false accepts',
      { kind: 'small', accepted: true, solved: false },
      2,
      'recipe: false accepts, not marked weak tests: missed',
    ],
  ] as const)('are missed with %s', (_name, change, count, missed) => {
    const bad = good.map((record, index) =>
      index < count
        ? {
            ...record,
            ...change,
            guarded: [...('guarded' in change ? change.guarded : [])],
            worse: [...('worse' in change ? change.worse : [])],
          }
        : record,
    );
    expect(targets(held, bad)).toContain(missed);
  });

  it.each(['', `${held} --limit 3`, `${held} --no-coverage`, `${held} --only py-*`, '--split all'])(
    'have no target with "%s"',
    (args) => {
      expect(targets(args, good)).toEqual([]);
    },
  );

  it('have no target in the loop or with another model', () => {
    expect(
      targets(
        held,
        good.map((record) => ({ ...record, strategy: 'loop' as const })),
      ),
    ).toEqual([]);
    expect(
      targets(
        held,
        good.map((record) => ({ ...record, model: 'a/b' })),
      ),
    ).toEqual([]);
  });

  it('show a task that could not be tried as a miss', () => {
    expect(targets(held, [...good, aRecord({ fault: 'no sandbox', solved: false, accepted: false })])).toContain(
      'recipe: could not be tried: missed',
    );
  });
});

describe('the report', () => {
  const setting = { date: '2026-11-21T10:11:12.000Z', machine: 'a machine', commit: 'abc1234' };
  const records = [
    aRecord({ task: 'a-1' }),
    aRecord({ task: 'a-2', solved: false, accepted: true }),
    aRecord({ task: 'a-1', strategy: 'loop', solved: false, accepted: false, status: 'limit', arm: null }),
  ];

  it('says where and how it was measured, and names every task in Markdown', () => {
    const { markdown } = reportOf(records, options('--strategies recipe,loop --no-coverage'), setting);
    expect(markdown).toContain('2026-11-21 10:11 UTC · commit abc1234 · a machine');
    expect(markdown).toContain('switched: no-coverage');
    expect(markdown).toMatch(/\| a-2 \| qwen2\.5-coder-1\.5b \| recipe \| no \|.*false accept \|/);
    expect(markdown).toContain('Newcombe');
  });

  it('lists only unsolved tasks in the terminal', () => {
    const { text } = reportOf(records, options(''), setting);
    expect(text).toContain('a-2 recipe: not solved');
    expect(text).not.toContain('a-1 recipe: not solved');
  });
});
