import { describe, expect, it } from 'vitest';
import type { Comparison, ComparisonRun, RunFigures } from '../../../src/shared/comparisons/comparison.ts';
import { comparisonInputSchema, plannedRuns } from '../../../src/shared/comparisons/comparison.ts';
import {
  comparisonCells,
  comparisonCsv,
  comparisonMarkdown,
  comparisonRows,
} from '../../../src/shared/comparisons/comparison-table.ts';

const figures: RunFigures = {
  status: 'done',
  reason: 'done',
  passedBefore: false,
  steps: 4,
  localSteps: 3,
  seconds: 10,
  tokens: { freshInput: 100, cacheRead: 20, cacheWrite: 0, output: 30 },
  costUsd: 0.5,
  energyWh: null,
  elsewhere: { cloudUsd: { value: 0.6, low: 0.4, high: 0.9 }, localSeconds: { value: 12, low: 9, high: 18 } },
};

function comparisonOf(more: object, changed: readonly Partial<ComparisonRun>[]): Comparison {
  const input = comparisonInputSchema.parse({ task: 'Mend it.', projectPath: '/p', policies: ['local'], ...more });
  const runs = plannedRuns(input).map((run, index): ComparisonRun => ({ ...run, ...changed[index] }));
  return { id: 'c1', createdAt: 0, input, runs, abandoned: [] };
}

const ended = (passed: boolean | null, more: Partial<RunFigures> = {}): Partial<ComparisonRun> => ({
  state: 'ended',
  sessionId: 's',
  check: { command: 'make test', passed, seconds: 1, summary: '' },
  figures: { ...figures, ...more },
});

describe('a comparison', () => {
  it('plans one policy after the other, repeat by repeat', () => {
    const { runs } = comparisonOf({ policies: ['local', 'cloud', 'local'], repeat: 2 }, []);
    expect(runs.map(({ policy, repeat }) => `${policy} ${repeat}`)).toEqual([
      'local 1',
      'cloud 1',
      'local 2',
      'cloud 2',
    ]);
  });

  it('shows median and range of ended runs, and counts unjudged runs apart', () => {
    const comparison = comparisonOf({ repeat: 4 }, [
      ended(true, { seconds: 30, costUsd: 0 }),
      ended(false, {
        seconds: 10,
        steps: 8,
        localSteps: 1,
        costUsd: 0,
        elsewhere: { cloudUsd: { value: 0.8, low: 0.5, high: 1.2 }, localSeconds: null },
      }),
      ended(null, { seconds: 20, costUsd: 0 }),
    ]);
    const [row] = comparisonRows(comparison);
    expect(row).toMatchObject({
      runs: 3,
      wanted: 4,
      solved: 1,
      unjudged: 1,
      seconds: { median: 20, least: 10, most: 30 },
    });
    expect(row?.localShare).toBeCloseTo(7 / 16);
    expect(row === undefined ? [] : comparisonCells(row)).toEqual([
      'local',
      '1 of 2, 1 unjudged, 1 to run',
      '4 (4 to 8)',
      '44%',
      '20.0 (10.0 to 30.0)',
      '100',
      '20',
      '0',
      '30',
      '$0',
      '$0.6000 ($0.4000 to $1.2000)',
      '-',
      '-',
    ]);
  });

  it('shows no sum with an unknown price, and no figure for a run that did not happen', () => {
    const unpriced = comparisonRows(comparisonOf({ repeat: 2 }, [ended(true), ended(true, { costUsd: null })]))[0];
    expect(unpriced?.costUsd).toBeNull();
    expect(unpriced === undefined ? '' : comparisonCells(unpriced)[9]).toBe('unpriced');
    const waiting = comparisonRows(comparisonOf({}, []))[0];
    expect(waiting === undefined ? [] : comparisonCells(waiting)).toEqual([
      'local',
      '0 of 0, 1 to run',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
    ]);
  });

  it('writes a report in which outside text is no markup', () => {
    const report = comparisonMarkdown(
      comparisonOf({ task: 'One | two\n# three <b>' }, [
        { ...ended(null), check: { command: 'x', passed: null, seconds: 0, summary: 'no | sandbox' } },
      ]),
    );
    expect(report).toContain('- Task: One \\| two \\# three \\<b\\>');
    expect(report).toContain('| local | 1 | ended | not run: no \\| sandbox | done | 4 | 10.0 | $0.5000 | s |');
    expect(report.split('\n').filter((line) => line.startsWith('# '))).toEqual(['# Comparison c1']);
  });

  it('writes a spreadsheet line for each run, in which no text is a formula or another cell', () => {
    const csv = comparisonCsv(
      comparisonOf({ task: '=HYPERLINK("http://x")', policies: ['local', 'cloud'], repeat: 2 }, [
        {
          ...ended(true, { energyWh: 0.25 }),
          check: { command: 'a, "b"', passed: true, seconds: 1, summary: '+1 passed' },
        },
        ended(false, { status: 'gave-up', costUsd: null }),
        { state: 'skipped', why: 'the money\nis spent' },
      ]),
    );
    const task = `"'=HYPERLINK(""http://x"")"`;
    expect(csv).toBe(
      [
        'policy,repeat,state,solved,status,steps,local_steps,seconds,fresh_input,cache_read,cache_write,output,usd,usd_if_all_cloud,seconds_if_all_here,energy_wh,session,check,why,task',
        `local,1,ended,true,done,4,3,10,100,20,0,30,0.5,0.6,12,0.25,s,"a, ""b""",'+1 passed,${task}`,
        `cloud,1,ended,false,gave-up,4,3,10,100,20,0,30,unpriced,0.6,12,,s,make test,,${task}`,
        `local,2,skipped,,,,,,,,,,,,,,,,"the money\nis spent",${task}`,
        `cloud,2,waiting,,,,,,,,,,,,,,,,,${task}`,
        '',
      ].join('\n'),
    );
  });
});
