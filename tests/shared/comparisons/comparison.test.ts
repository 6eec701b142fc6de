import { describe, expect, it } from 'vitest';
import type { Comparison, ComparisonRun, PairVerdict, RunFigures } from '../../../src/shared/comparisons/comparison.ts';
import { comparisonInputSchema, plannedRuns } from '../../../src/shared/comparisons/comparison.ts';
import {
  comparisonCsv,
  comparisonMarkdown,
  comparisonPage,
  comparisonVerdict,
  reportFacts,
  reportTables,
  weakChecksText,
} from '../../../src/shared/comparisons/comparison-report.ts';
import { wayDifferences, comparisonCells, comparisonRows } from '../../../src/shared/comparisons/comparison-table.ts';
import { openPairs, pairsForYou, pairsToJudge, preferenceOf } from '../../../src/shared/comparisons/pair-verdicts.ts';

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
  modelSeconds: 6,
  localSeconds: 4,
  energyUsd: 0.002,
  hardwareUsd: null,
};

const oneTask = [{ name: 'Mend', text: 'Mend it.' }];

function comparisonOf(more: object, changed: readonly Partial<ComparisonRun>[]): Comparison {
  const input = comparisonInputSchema.parse({
    tasks: oneTask,
    projectPath: '/p',
    ways: [{ policy: 'local' }],
    ...more,
  });
  const runs = plannedRuns(input).map((run, index): ComparisonRun => ({ ...run, ...changed[index] }));
  return { id: 'c1', createdAt: 0, input, runs, judgements: [], abandoned: [] };
}

const ended = (passed: boolean | null, more: Partial<RunFigures> = {}): Partial<ComparisonRun> => ({
  state: 'ended',
  sessionId: 's',
  check: { command: 'make test', passed, seconds: 1, summary: '' },
  figures: { ...figures, ...more },
});

const two = { ways: [{ policy: 'local' }, { policy: 'cloud' }] };
const said = (more: Partial<PairVerdict>): PairVerdict => ({
  task: 0,
  repeat: 1,
  left: 'local',
  right: 'cloud',
  by: 'you',
  verdict: 'left',
  why: '',
  costUsd: 0,
  ...more,
});

describe('a comparison', () => {
  it('learns nothing about other tasks from repeats that agree', () => {
    const input = { tasks: [...oneTask, { name: 'Other', text: 'Do it.' }], ...two };
    const outcomes = [ended(true), ended(false), ended(false), ended(false)];
    const once = comparisonOf(input, outcomes);
    const often = comparisonOf({ ...input, repeat: 5 }, Array.from({ length: 5 }, () => outcomes).flat());
    const wide = ({ low, high }: { low: number; high: number }): number => high - low;
    const [share, more] = [once, often].map((one) => comparisonRows(one)[0]?.solvedShare);
    expect(share).toMatchObject({ value: 0.5 });
    expect(wide(more ?? { low: 0, high: 0 })).toBeGreaterThan(0.95 * wide(share ?? { low: 0, high: 1 }));
    const [difference, again] = [once, often].map((one) => wayDifferences(one)[0]);
    expect(again?.pairs).toBe(10);
    expect(again?.solved).toEqual(difference?.solved);
    expect(again?.seconds).toEqual(difference?.seconds);
    // One task alone: each repeat says more about it.
    const alone = comparisonRows(
      comparisonOf(
        { repeat: 8 },
        Array.from({ length: 8 }, () => ended(true)),
      ),
    )[0];
    expect(alone?.solvedShare?.low).toBeGreaterThan(0.6);
  });

  it('plans task by task, one way after the other, repeat by repeat, and the same way once', () => {
    const { runs } = comparisonOf(
      {
        tasks: [...oneTask, { name: 'Other', text: 'Do it.' }],
        ways: [{ policy: 'local' }, { policy: 'cloud' }, { policy: 'local' }],
        repeat: 2,
      },
      [],
    );
    expect(runs.map(({ task, way, repeat }) => `${way} ${task} ${repeat}`)).toEqual([
      'local 0 1',
      'cloud 0 1',
      'local 1 1',
      'cloud 1 1',
      'local 0 2',
      'cloud 0 2',
      'local 1 2',
      'cloud 1 2',
    ]);
  });

  it('shows median and range of ended runs, the share that is solved with its interval, and what is to be judged', () => {
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
      checked: 2,
      toJudge: 1,
      seconds: { median: 20, least: 10, most: 30 },
      means: { seconds: { value: 20 }, costUsd: { value: 0, low: 0, high: 0 } },
      totals: { seconds: 60, costUsd: 0 },
      tokensPerSecond: 5,
    });
    expect(row?.localShare).toBeCloseTo(7 / 16);
    expect(row === undefined ? [] : comparisonCells(row)).toEqual([
      'local',
      '1 of 2 (9% to 91%), 1 to run',
      '1 to judge',
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
      '5.0',
      '-',
      '$0.0060',
      '-',
    ]);
  });

  it('shows no sum with an unknown price, and no figure for a run that did not happen', () => {
    const unpriced = comparisonRows(comparisonOf({ repeat: 2 }, [ended(true), ended(true, { costUsd: null })]))[0];
    expect(unpriced?.costUsd).toBeNull();
    expect([unpriced?.totals.costUsd, unpriced?.means.costUsd]).toEqual([null, null]);
    expect(unpriced === undefined ? '' : comparisonCells(unpriced)[10]).toBe('unpriced');
    const waiting = comparisonRows(comparisonOf({}, []))[0];
    expect(waiting === undefined ? [] : comparisonCells(waiting).slice(0, 5)).toEqual([
      'local',
      '0 of 0, 1 to run',
      '-',
      '-',
      '-',
    ]);
  });

  it('shows both sums in a table and names the rate in each report, where you set a currency', () => {
    const currency = { code: 'EUR', perUsd: 0.92 };
    const comparison = comparisonOf(two, [ended(true), ended(true, { costUsd: null })]);
    const [row] = comparisonRows(comparison);
    const cells = row === undefined ? [] : comparisonCells(row, currency);
    expect(cells[10]).toBe('$0.5000 ≈ €0.46');
    expect(cells[11]).toBe('$0.6000 ($0.4000 to $0.9000) ≈ €0.55 (€0.37 to €0.83)');
    const rate = '1 US dollar = 0.92 EUR, as set by hand.';
    for (const write of [comparisonMarkdown, comparisonPage]) {
      expect(write(comparison, currency)).toContain(rate);
      expect(write(comparison, currency)).toContain('≈ €0.46');
      expect(write(comparison)).toBe(write(comparison, null));
      expect(write(comparison)).not.toMatch(/≈|EUR|Currency/u);
    }
    const [head, first, second] = comparisonCsv(comparison, currency).split('\n');
    expect(head?.endsWith('worse,currency,per_usd,money,money_if_all_cloud,energy_money,hardware_money')).toBe(true);
    expect(first?.endsWith(',EUR,0.92,0.46,0.552,0.00184,')).toBe(true);
    // An unknown sum is no 0 in another currency.
    expect(second?.endsWith(',EUR,0.92,,0.552,0.00184,')).toBe(true);
    expect(comparisonCsv(comparison)).not.toContain('EUR');
  });

  it('compares each way with the first one on the same runs', () => {
    const comparison = comparisonOf({ ...two, repeat: 3 }, [
      ended(false, { seconds: 10, costUsd: 0 }),
      ended(true, { seconds: 20 }),
      ended(true, { seconds: 10, costUsd: 0 }),
      ended(true, { seconds: 22 }),
      ended(false, { seconds: 10, costUsd: 0 }),
    ]);
    const [cloud] = wayDifferences(comparison);
    expect(cloud).toMatchObject({ way: 'cloud', pairs: 2, seconds: { value: 11 }, costUsd: { value: 0.5, low: 0.5 } });
    expect(cloud?.solved?.value).toBe(0.5);
    // Two pairs say little, and the interval shows it.
    expect(cloud?.solved?.low).toBeLessThan(0);
  });
});

describe('the verdicts of a comparison', () => {
  const comparison = comparisonOf({ ...two, repeat: 2 }, [ended(null), ended(null), ended(true), ended(false)]);

  it('ask you about the pairs that no check judged, until a model or you did', () => {
    expect(pairsToJudge(comparison)).toHaveLength(2);
    expect(pairsForYou(comparison)).toEqual([{ task: 0, repeat: 1, left: 'local', right: 'cloud' }]);
    const byModel = { ...comparison, judgements: [said({ by: 'model' })] };
    expect(pairsForYou(byModel)).toEqual([]);
    expect(openPairs(byModel, 'model')).toHaveLength(1);
    // What cannot be read is no verdict, so you are asked.
    expect(pairsForYou({ ...comparison, judgements: [said({ by: 'model', verdict: null })] })).toHaveLength(1);
  });

  it('count for both ways, and yours before that of a model', () => {
    const judged = {
      ...comparison,
      judgements: [said({ by: 'model', verdict: 'right' }), said({}), said({ repeat: 2, verdict: 'both-bad' })],
    };
    expect(preferenceOf(judged, 'local')).toMatchObject({ better: 1, even: 1, worse: 0, share: { value: 1 } });
    expect(preferenceOf(judged, 'cloud')).toMatchObject({ better: 0, even: 1, worse: 1 });
    expect(comparisonRows(judged).map(({ toJudge }) => toJudge)).toEqual([0, 0]);
    expect(preferenceOf(comparison, 'local')).toBeNull();
  });

  it('are not asked of a run that found no model', () => {
    expect(pairsToJudge(comparisonOf(two, [ended(null), ended(null, { status: 'missing' })]))).toEqual([]);
  });
});

describe('the report of a comparison', () => {
  it('is Markdown in which outside text is no markup', () => {
    const report = comparisonMarkdown(
      comparisonOf({ tasks: [{ name: 'a|b', text: 'One | two\n# three <b>' }] }, [
        { ...ended(null), check: { command: 'x', passed: null, seconds: 0, summary: 'no | sandbox' } },
      ]),
    );
    expect(report).toContain('- Task: One \\| two \\# three \\<b\\>');
    expect(report).toContain('| local | a\\|b | 1 | ended | not run: no \\| sandbox | done | 4 | 10.0 | $0.5000 | s |');
    expect(report.split('\n').filter((line) => line.startsWith('# '))).toEqual(['# Comparison c1']);
  });

  it('is one page without a script, in which outside text is no element', () => {
    const page = comparisonPage(
      comparisonOf({ ...two, tasks: [{ name: '<script>x</script>', text: '<img src=x onerror=y>' }] }, [
        ended(true),
        ended(false),
      ]),
    );
    expect(page).toContain('&lt;img src=x onerror=y&gt;');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img|https?:/u);
    expect(page).toContain('<svg role="img"');
  });

  it('has the tasks of a set, and what was judged', () => {
    const comparison = comparisonOf(
      { ...two, tasks: [...oneTask, { name: 'Other', text: 'Do it.', note: 'As it is now.' }] },
      [ended(true), ended(false), ended(null)],
    );
    const tables = reportTables({ ...comparison, judgements: [said({ verdict: 'same', by: 'model', why: 'Alike.' })] });
    expect(tables.map(({ title }) => title)).toEqual([
      'Ways',
      'Against local',
      'Tasks',
      'What tasks began with',
      'Verdicts',
      'Runs',
    ]);
    expect(tables[2]?.rows).toEqual([
      ['Mend', '1 of 1', '0 of 1'],
      ['Other', 'no check', '-'],
    ]);
    expect(tables[3]?.rows).toEqual([['Other', 'As it is now.']]);
    expect(tables[4]?.rows).toEqual([['Mend', '1', 'local', 'cloud', 'same', 'model', 'Alike.']]);
  });

  it('names the tasks whose check passed before any run, and says nothing of the others', () => {
    const tasks = [...oneTask, { name: 'Other', text: 'Do it.' }];
    const [weak, strong] = [ended(true, { passedBefore: true }), ended(true)];
    expect(weakChecksText(comparisonOf(two, [strong, strong]))).toBeNull();
    expect(weakChecksText(comparisonOf(two, [weak, weak]))).toMatch(/^The check passed before any run/u);
    const some = comparisonOf({ ...two, tasks }, [strong, strong, weak, weak]);
    const text = 'For 1 of 2 tasks, the check passed before any run, so it says little about their results: "Other".';
    expect(weakChecksText(some)).toBe(text);
    expect(reportFacts(some)).toContainEqual(['Weak checks', text]);
    expect(weakChecksText(comparisonOf({ ...two, tasks }, [weak, weak, weak, weak]))).toContain('of each task');
    const many = Array.from({ length: 9 }, (_, at) => ({ name: `T${at}`, text: 'Do it.' }));
    const most = comparisonOf(
      { tasks: many },
      many.map((_, at) => (at < 7 ? weak : strong)),
    );
    expect(weakChecksText(most)).toMatch(/^For 7 of 9 tasks.*"T0", "T1", "T2", "T3", "T4" and 2 more\.$/u);
  });

  it('says how answers were judged where no check did, in the tasks, the verdict and the spreadsheet', () => {
    const tasks = [...oneTask, { name: 'Chat', text: 'Say it.', check: 'true' }];
    const none = comparisonOf({ ...two, tasks }, [ended(null), ended(null), ended(null), ended(null)]);
    const judged = { ...none, judgements: [said({}), said({ task: 1, verdict: 'same' })] };
    expect(comparisonVerdict(none)).toContain('look at the answers yourself');
    expect(comparisonVerdict(judged)).toMatch(
      /^Judged in pairs: local 1 better, 1 even, 0 worse; cloud 0 better, 1 even, 1 worse\./u,
    );
    expect(reportTables(judged).find(({ title }) => title === 'Tasks')?.rows).toEqual([
      ['Mend', '1 better, 0 even, 0 worse', '0 better, 0 even, 1 worse'],
      ['Chat', '0 better, 1 even, 0 worse', '0 better, 1 even, 0 worse'],
    ]);
    expect(comparisonCsv(judged).split('\n')[1]).toMatch(/,1,0,0$/u);
    expect(reportFacts(judged)).toContainEqual(['Check', 'that of the task, or else the test command of the project']);
  });

  it('has figures without the noise of binary fractions in the spreadsheet', () => {
    const csv = comparisonCsv(comparisonOf(two, [ended(true, { seconds: 0.1 + 0.2 })]));
    expect(csv).toContain(',0.3,');
    expect(csv).not.toContain('0.30000000000000004');
  });

  it('is a spreadsheet line for each run, in which no text is a formula or another cell', () => {
    const task = '=HYPERLINK("http://x")';
    const csv = comparisonCsv(
      comparisonOf({ ...two, tasks: [{ name: 'a', text: task, note: 'As it is now.' }], repeat: 2 }, [
        {
          ...ended(true, { energyWh: 0.25 }),
          check: { command: 'a, "b"', passed: true, seconds: 1, summary: '+1 passed' },
        },
        ended(false, { status: 'gave-up', costUsd: null }),
        { state: 'skipped', why: 'the money\nis spent' },
      ]),
    );
    const cell = `a,"'=HYPERLINK(""http://x"")",As it is now.,,,`;
    expect(csv).toBe(
      [
        'way,repeat,state,solved,status,steps,local_steps,seconds,model_seconds,fresh_input,cache_read,cache_write,output,usd,usd_if_all_cloud,seconds_if_all_here,energy_wh,energy_usd,hardware_usd,session,check,why,task,text,note,better,even,worse',
        `local,1,ended,true,done,4,3,10,6,100,20,0,30,0.5,0.6,12,0.25,0.002,,s,"a, ""b""",'+1 passed,${cell}`,
        `cloud,1,ended,false,gave-up,4,3,10,6,100,20,0,30,unpriced,0.6,12,,0.002,,s,make test,,${cell}`,
        `local,2,skipped,,,,,,,,,,,,,,,,,,,"the money\nis spent",${cell}`,
        `cloud,2,waiting,,,,,,,,,,,,,,,,,,,,${cell}`,
        '',
      ].join('\n'),
    );
  });
});

describe('the verdict of a comparison', () => {
  const verdict = (repeat: number, runs: readonly Partial<ComparisonRun>[]): string | null =>
    comparisonVerdict(comparisonOf({ ...two, repeat }, runs));
  const cheap = { costUsd: 0, seconds: 42 };
  const quick = { costUsd: 0.04, seconds: 18 };

  it('says who solved how many, who was cheapest and quickest, and that few runs can be chance', () => {
    expect(verdict(1, [ended(false, cheap), ended(true, quick)])).toBe(
      'cloud solved 1 of 1, local solved 0 of 1. With so few runs, that can be chance. local cost the least ($0; cloud: $0.0400). cloud was the quickest (18 s; local: 42 s).',
    );
  });

  it('says of many runs that differ always nothing of chance', () => {
    const runs = [...Array.from({ length: 20 }, () => ended(false)), ...Array.from({ length: 20 }, () => ended(true))];
    const comparison = comparisonOf({ ...two, repeat: 20 }, []);
    const byWay = comparison.runs.map((run) => ({ ...run, ...(run.way === 'cloud' ? runs[20] : runs[0]) }));
    expect(comparisonVerdict({ ...comparison, runs: byWay })).toBe('cloud solved 20 of 20, local solved 0 of 20.');
  });

  it('names no difference where there is none, and claims nothing before the runs have ended or without a check', () => {
    expect(verdict(1, [ended(true), ended(true)])).toBe('local solved 1 of 1, cloud solved 1 of 1: no difference.');
    expect(verdict(1, [ended(null), ended(true)])).toBe('No check judged all ways, so look at the answers yourself.');
    expect(verdict(1, [ended(true)])).toBeNull();
    expect(comparisonMarkdown(comparisonOf(two, [ended(true), ended(true)]))).toContain(
      '- Verdict: local solved 1 of 1',
    );
  });
});
