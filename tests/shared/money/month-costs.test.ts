import { describe, expect, it } from 'vitest';
import { energyOf, noCosts, type CostRow } from '../../../src/shared/money/cost-report.ts';
import { counterfactualOf } from '../../../src/shared/money/counterfactual.ts';
import { monthCosts } from '../../../src/shared/money/month-costs.ts';
import { addSplitWorkload, noSplitWorkload, splitWorkload } from '../../../src/shared/money/workload.ts';
import type { EndedCall, SplitWorkload } from '../../../src/shared/money/workload.ts';

const timed = { queuedMs: 0, prefillMs: null, decodeMs: null };

interface Day {
  readonly tokens: number;
  readonly localShare: number;
  readonly usdPerMillion: number;
  /** Electricity for a million tokens on this machine. Null: no meter. */
  readonly energyUsdPerMillion: number | null;
}

/** The work of one day: a call here and a call in the cloud, which share its tokens. */
function workOf({ tokens, localShare, usdPerMillion, energyUsdPerMillion }: Day): SplitWorkload {
  const call = (count: number): Pick<EndedCall, 'usage' | 'evaluatedTokens'> => {
    const usage = { freshInput: count * 0.8, cacheRead: 0, cacheWrite: 0, output: count * 0.2, reasoning: 0 };
    return { usage: { ...usage, estimated: false }, evaluatedTokens: count * 0.8 };
  };
  const [here, there] = [tokens * localShare, tokens * (1 - localShare)];
  const ms = here / 20;
  const energy =
    energyUsdPerMillion === null
      ? {}
      : { energy: { wattHours: 1, usd: (here * energyUsdPerMillion) / 1e6, source: 'settings' as const } };
  return splitWorkload([
    ...(here > 0
      ? [
          {
            where: 'local' as const,
            end: {
              ...call(here),
              timings: { queuedMs: 0, prefillMs: ms / 2, decodeMs: ms / 2, totalMs: ms },
              costUsd: 0,
              ...energy,
            },
          },
        ]
      : []),
    ...(there > 0
      ? [
          {
            where: 'cloud' as const,
            end: { ...call(there), timings: { ...timed, totalMs: 4000 }, costUsd: (there * usdPerMillion) / 1e6 },
          },
        ]
      : []),
  ]);
}

/** The report of these days, as the ledger makes it. */
function reportOf(days: readonly (readonly [string, Day])[], usdPerMillion: number | null) {
  const price = {
    input: usdPerMillion ?? 0,
    output: usdPerMillion ?? 0,
    source: 'test',
    date: '2026-11-01',
  };
  const reference = usdPerMillion === null ? null : { model: 'sky/model', price };
  const works = days.map(([, day]) => workOf(day));
  const whole = works.reduce(addSplitWorkload, noSplitWorkload);
  const rows = days.map(([key], at): CostRow => {
    const work = works[at] ?? noSplitWorkload;
    const { local, cloud } = work;
    return {
      ...noCosts,
      key,
      label: '',
      calls: local.calls + cloud.calls,
      localCalls: local.calls,
      costUsd: cloud.costUsd,
      elsewhere: counterfactualOf(work, reference, whole, 'tokens'),
      energy: energyOf(work),
    };
  });
  return { rows, elsewhere: counterfactualOf(whole, reference, whole, 'tokens') };
}

const dayOf = (number: number): string => `2026-10-${String(number).padStart(2, '0')}`;
/** Thirty equal days before the last of the month. */
const october = (day: Day): readonly (readonly [string, Day])[] =>
  Array.from({ length: 30 }, (_, at) => [dayOf(at + 1), day] as const);

/** Two million tokens a month: 60 dollars in the cloud, 15 of electricity here. */
const example = { tokens: 2_000_000 / 30, usdPerMillion: 30, energyUsdPerMillion: 7.5 };
const costsOf = (localShare: number, hardwareUsd: number | null = null) =>
  monthCosts(reportOf(october({ ...example, localShare }), 30), { today: '2026-10-31', hardwareUsd });

describe('the costs of a month', () => {
  it.each([0.5, 0.8])('finds the three ways of two million tokens, with %d of them on this machine', (share) => {
    const { allCloud, allLocal, asWorked, days } = costsOf(share);
    expect(days).toEqual({ since: '2026-10-01', until: '2026-10-30', count: 30 });
    expect(allCloud.usd?.value).toBeCloseTo(60, 6);
    expect(allLocal.usd?.value).toBeGreaterThanOrEqual(10);
    expect(allLocal.usd?.value).toBeLessThanOrEqual(20);
    expect(asWorked.usd?.value).toBeCloseTo(60 * (1 - share) + 15 * share, 6);
  });

  it('says when the hardware has paid for itself, as the interval of what is saved allows', () => {
    const { payback, allCloud, asWorked } = costsOf(0.8, 1500);
    const paid = asWorked.usd?.value ?? 0;
    expect(payback.months?.value).toBeCloseTo(1500 / (60 - paid), 6);
    expect(payback.months?.low).toBeCloseTo(1500 / ((allCloud.usd?.high ?? 0) - paid), 6);
    expect(payback.months?.high).toBeCloseTo(1500 / ((allCloud.usd?.low ?? 0) - paid), 6);
  });

  it.each([
    ['no price of the hardware', costsOf(0.8), 'the price of your hardware is not set; set energy.hardwareUsd'],
    ['no work on this machine', costsOf(0, 1500), 'no model ran on this machine, so what it saves is unknown'],
    [
      'electricity dearer than the cloud',
      monthCosts(reportOf(october({ ...example, localShare: 0.8, energyUsdPerMillion: 40 }), 30), {
        today: '2026-10-31',
        hardwareUsd: 1500,
      }),
      'at this pace it saves nothing against the cloud alone',
    ],
    [
      'no price of a cloud model',
      monthCosts(reportOf(october({ ...example, localShare: 1 }), null), { today: '2026-10-31', hardwareUsd: 1500 }),
      'no cloud model with a price is set up',
    ],
  ])('says why it cannot know when the hardware is paid for: %s', (_, { payback }, why) => {
    expect(payback).toMatchObject({ months: null, why });
  });

  it('adds the days to come to what was spent, at the pace of all days, and ends with the month', () => {
    const day = { ...example, localShare: 0, energyUsdPerMillion: null };
    const days = Array.from({ length: 20 }, (_, at) => [dayOf(at + 1), day] as const);
    const { spent, forecast } = monthCosts(reportOf(days, 30), { today: dayOf(20), hardwareUsd: null });
    expect(spent.usd?.value).toBeCloseTo(40, 6);
    // Eleven days are left, at 2 dollars each; all days were alike.
    expect(forecast.usd?.value).toBeCloseTo(62, 6);
    expect(forecast.usd?.low).toBeCloseTo(62, 6);
  });

  it('counts today as a day to come, however little was spent in it, and never as less than was spent', () => {
    const day = { ...example, localShare: 0, energyUsdPerMillion: null };
    const days = Array.from({ length: 19 }, (_, at) => [dayOf(at + 1), day] as const);
    const month = (spentToday: Day | null) => {
      const all = spentToday === null ? days : [...days, [dayOf(20), spentToday] as const];
      return monthCosts(reportOf(all, 30), { today: dayOf(20), hardwareUsd: null }).forecast.usd?.value;
    };
    expect(month(null)).toBeCloseTo(62, 6);
    expect(month(day)).toBeCloseTo(62, 6);
    expect(month({ ...day, tokens: day.tokens * 100 })).toBeCloseTo(238, 6);
  });

  it('counts days without work as nothing, and is less sure when the days differ', () => {
    const day = { ...example, localShare: 0 };
    const days = [1, 8, 15, 22, 29].map((number) => [dayOf(number), day] as const);
    const { asWorked } = monthCosts(reportOf(days, 30), { today: '2026-10-31', hardwareUsd: null });
    expect(asWorked.usd?.value).toBeCloseTo(10, 6);
    expect(asWorked.usd?.low).toBeLessThan(6);
    expect(asWorked.usd?.high).toBeGreaterThan(14);
  });

  // Bug: after a pause of months, a month was counted from the first call after it.
  it('counts the days of a long pause when there was a call before the days that it looks at', () => {
    const days = Array.from({ length: 9 }, (_, at) => [dayOf(at + 1), { ...example, localShare: 0 }] as const);
    const report = reportOf(days, 30);
    const today = dayOf(10);
    const paused = monthCosts({ ...report, firstDay: '2026-03-01' }, { today, hardwareUsd: null });
    expect(paused.days).toEqual({ since: '2026-07-12', until: dayOf(9), count: 90 });
    expect(paused.asWorked.usd?.value).toBeCloseTo(6, 6);
    const fresh = monthCosts({ ...report, firstDay: dayOf(1) }, { today, hardwareUsd: null });
    expect(fresh.days?.count).toBe(9);
    expect(fresh.asWorked.usd?.value).toBeCloseTo(60, 6);
  });

  it('knows no month from six days, and what was spent in them', () => {
    const days = Array.from({ length: 6 }, (_, at) => [dayOf(at + 1), { ...example, localShare: 0 }] as const);
    const month = monthCosts(reportOf(days, 30), { today: dayOf(7), hardwareUsd: null });
    expect(month.spent.usd?.value).toBeCloseTo(12, 6);
    for (const way of [month.forecast, month.asWorked, month.allCloud, month.allLocal]) {
      expect(way).toEqual({
        usd: null,
        why: 'a month is estimated from at least 7 days, counted from the first call; there are 6',
      });
    }
  });

  it('knows nothing of an empty log but that nothing was spent', () => {
    const month = monthCosts(reportOf([], 30), { today: dayOf(7), hardwareUsd: 1500 });
    expect(month).toMatchObject({ days: null, spent: { usd: { value: 0 } }, asWorked: { usd: null } });
  });

  it('does not call a sum whole that lacks a price or electricity', () => {
    const { rows, elsewhere } = reportOf(october({ ...example, localShare: 0.5, energyUsdPerMillion: null }), 30);
    const today = '2026-10-31';
    const without = monthCosts({ rows, elsewhere }, { today, hardwareUsd: null });
    expect(without.asWorked.usd?.value).toBeCloseTo(30, 6);
    expect(without.asWorked.why).toBe('electricity of some calls is unknown and not included');
    const [first, ...rest] = rows;
    if (first === undefined) throw new Error('no row');
    const unpriced = monthCosts(
      { rows: [{ ...first, unpricedCalls: 1 }, ...rest], elsewhere },
      { today, hardwareUsd: null },
    );
    expect(unpriced.asWorked).toEqual({ usd: null, why: '1 call has no known price' });
  });
});
