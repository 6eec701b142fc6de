import { describe, expect, it } from 'vitest';
import { calibrationHtml } from '../../../src/main/hosts/cli/commands/projects/calibration-html.ts';
import { monthReport, solvedRows } from '../../../src/shared/calibration/calibration-report.ts';
import { calibrationMarkdown, unknownNotes } from '../../../src/shared/calibration/calibration-text.ts';
import type { CalibrationRun, CalibrationView } from '../../../src/shared/calibration/calibration.ts';
import { calibrationInputSchema } from '../../../src/shared/calibration/calibration.ts';

const task = (id: string, kind: 'fault' | 'question', title = 'one') =>
  ({
    id,
    kind,
    size: 'small',
    language: 'python',
    title,
    request: 'Fix it.',
    check: null,
    verified: { failedBefore: 2, passedAfter: 2 },
  }) as const;
const run = (taskId: string, solved: boolean | null, change: Partial<CalibrationRun> = {}): CalibrationRun => ({
  taskId,
  model: 'engine/small',
  where: 'local',
  state: 'ended',
  comparisonId: null,
  sessionId: null,
  solved,
  why: null,
  seconds: 10,
  costUsd: 0,
  energyWh: null,
  ...change,
});
const view: CalibrationView = {
  id: 'one',
  createdAt: 0,
  input: calibrationInputSchema.parse({ projectPath: '/p' }),
  state: 'ended',
  why: null,
  project: { testCommand: 'pytest', suiteSeconds: 1, notes: ['No <history>.'] },
  tasks: [task('t1', 'fault', '<script>alert(1)</script> | x'), task('t2', 'fault'), task('t3', 'question')],
  tried: { commit: 0, fault: 0, question: 0 },
  dropped: { 'no test noticed the fault': 3 },
  runs: [run('t1', true), run('t2', false, { seconds: 20 }), run('t3', null)],
  workedSeconds: 1,
  kept: null,
};
const way = (value: number) => ({ usd: { value, low: value, high: value }, why: null });

/** Catches: a rate without its doubt, and a month that hides what is unknown. */
describe('the report of a calibration', () => {
  it('counts what was solved by kind and size, and leaves out what nothing could judge', () => {
    const rows = solvedRows(view).map(({ of, solved, judged, unjudged }) => [of, solved, judged, unjudged]);
    expect(rows).toEqual([
      ['all', 1, 2, 1],
      ['fault', 1, 2, 0],
      ['question', 0, 0, 1],
      ['small', 1, 2, 1],
    ]);
    expect(solvedRows(view)[0]?.medianSeconds).toBe(10);
  });

  it('knows nothing of a model without a judged task, and plans a month with the one that surely solves most', () => {
    expect(solvedRows(view)[2]).toMatchObject({ of: 'question', judged: 0, low: 0, high: 1 });
    const lucky = { ...run('t1', true), model: 'engine/lucky' };
    const many = Array.from({ length: 24 }, (_, at) => run('t2', at < 20));
    const month = monthReport({ allLocal: way(2), allCloud: way(60) }, solvedRows({ ...view, runs: [lucky, ...many] }));
    expect(month.hybrid.usd?.value).toBeCloseTo(2 + 60 * (4 / 24), 6);
  });

  it('adds the cloud for what is not solved here, within the interval of the share', () => {
    const month = monthReport({ allLocal: way(2), allCloud: way(60) }, solvedRows(view));
    expect(month.hybrid.usd?.value).toBe(32);
    expect(month.hybrid.usd?.low).toBeLessThan(32);
    expect(month.hybrid.usd?.high).toBeGreaterThan(32);
    const unknown = monthReport({ allLocal: way(2), allCloud: { usd: null, why: 'no price' } }, solvedRows(view));
    expect(unknown.hybrid).toEqual({ usd: null, why: 'no price' });
  });

  it('shows texts of the repository as texts, as a page and as Markdown', () => {
    const html = calibrationHtml(view, null, null);
    expect(html).not.toContain('<script');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('<svg');
    expect(calibrationMarkdown(view, null, null)).toContain(String.raw`\<script\>alert(1)\</script\> \| x`);
  });

  it('names the rate in each report, where you set a currency', () => {
    for (const write of [calibrationHtml, calibrationMarkdown]) {
      expect(write(view, null, { code: 'JPY', perUsd: 152 })).toContain('1 US dollar = 152 JPY');
      expect(write(view, null, null)).not.toMatch(/JPY|≈/u);
    }
  });

  it('says of no tasks that none could be made only when it has ended, not when it was stopped', () => {
    const empty = { ...view, tasks: [], runs: [] };
    expect(unknownNotes(empty).at(-1)).toMatch(/^No task could be made of this project/u);
    for (const state of ['stopped', 'making'] as const)
      expect(unknownNotes({ ...empty, state }).at(-1)).toMatch(/^No task is made yet/u);
  });

  it('says what it cannot know', () => {
    expect(calibrationMarkdown(view, null, null)).toContain(String.raw`No \<history\>.`);
    expect(calibrationMarkdown(view, null, null)).toContain('only 3 tasks');
  });
});
