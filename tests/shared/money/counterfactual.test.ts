import { describe, expect, it } from 'vitest';
import type { EndedCall } from '../../../src/shared/money/workload.ts';
import runs from '../../../src/shared/money/counterfactual-runs.json';
import { comparedWith, counterfactualOf } from '../../../src/shared/money/counterfactual.ts';
import {
  addSplitWorkload,
  noSplitWorkload,
  splitWorkload,
  withRecipeRuns,
} from '../../../src/shared/money/workload.ts';
import { recipeRunsOf, type RecipeRun } from '../../../src/shared/money/recipe-runs.ts';

const price = { input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10, source: 'test', date: '2026-11-21' };
const reference = { model: 'sky/model', price };

/**
 * A local call with a prompt of 1,000 tokens, of which `kept` are in the cache. It reads 200 tokens a second and writes
 * 20.
 */
function localCall(kept: number, energy?: EndedCall['energy']): { where: 'local'; end: EndedCall } {
  const evaluatedTokens = 1000 - kept;
  const usage = {
    freshInput: evaluatedTokens,
    cacheRead: kept,
    cacheWrite: 0,
    output: 100,
    reasoning: 0,
    estimated: false,
  };
  const [prefillMs, decodeMs] = [evaluatedTokens * 5, 5000];
  const timings = { queuedMs: 300, prefillMs, decodeMs, totalMs: prefillMs + decodeMs + 300 };
  return { where: 'local', end: { usage, evaluatedTokens, timings, costUsd: 0, ...(energy && { energy }) } };
}

function cloudCall(costUsd: number | null): { where: 'cloud'; end: EndedCall } {
  const usage = { freshInput: 400, cacheRead: 600, cacheWrite: 0, output: 200, reasoning: 0, estimated: false };
  const timings = { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 4000 };
  return { where: 'cloud', end: { usage, evaluatedTokens: null, timings, costUsd } };
}

describe('the estimated cost of the same work elsewhere', () => {
  it('prices local calls as the cloud would, by new, cached and written tokens', () => {
    const work = splitWorkload([localCall(0), localCall(800)]);
    const { allCloud } = counterfactualOf(work, reference, work, 'tokens');
    // 1,200 new tokens at 2.50, 800 kept ones at 0.20 and 200 written ones at 10, in millionths of a dollar.
    const value = (1200 * 2.5 + 800 * 0.2 + 200 * 10) / 1e6;
    // Lower bound: 1,000 kept, the rest at 2, a fifth fewer. Upper bound: nothing kept, a quarter more.
    const low = 0.8 * ((1000 * 2 + 1000 * 0.2 + 2000) / 1e6);
    const high = 1.25 * ((2000 * 2.5 + 2000) / 1e6);
    expect(allCloud).toMatchObject({ basis: 'estimated', why: null, seconds: null });
    expect(allCloud.usd?.value).toBeCloseTo(value, 12);
    expect(allCloud.usd?.low).toBeCloseTo(low, 12);
    expect(allCloud.usd?.high).toBeCloseTo(high, 12);
  });

  it('adds what was billed in the cloud, and the measured time of its calls', () => {
    const work = splitWorkload([localCall(0), cloudCall(0.01)]);
    const { allCloud } = counterfactualOf(work, reference);
    expect(allCloud.usd?.value).toBeCloseTo(0.01 + (1000 * 2.5 + 100 * 10) / 1e6, 12);
    // A written token takes as long here as ten read ones. There 400 + 200 × 10 took 4 s, so 1,000 + 100 × 10 take 3.33
    // s.
    expect(allCloud.seconds?.value).toBeCloseTo(4 + (2000 / 2400) * 4, 9);
  });

  it('gives the local time and energy of a cloud call, by the speeds of this machine', () => {
    const metered = { wattHours: 0.25, source: 'rapl', usd: 0.0001 } as const;
    const work = splitWorkload([localCall(500, metered), cloudCall(0.01), cloudCall(0.01)]);
    const { allLocal } = counterfactualOf(work, null);
    const here = 2.5 + 5;
    // What the service kept in its cache would have been kept on this machine, too.
    const there = 800 / 200 + 400 / 20;
    expect(allLocal.seconds?.value).toBeCloseTo(here + there, 9);
    expect(allLocal.usd?.value).toBeCloseTo(0.0001 + (0.0001 / here) * there, 12);
    expect(allLocal.basis).toBe('estimated');
    const one = counterfactualOf(splitWorkload([cloudCall(0.01)]), null, work).allLocal;
    expect(one.seconds?.value).toBeCloseTo(400 / 200 + 200 / 20, 9);
  });

  it("uses the cloud's speeds of reading and writing, where its streams show them", () => {
    const told = (decodeMs: number | null, totalMs: number): ReturnType<typeof cloudCall> => {
      const { where, end } = cloudCall(0.01);
      return { where, end: { ...end, timings: { ...end.timings, decodeMs, totalMs } } };
    };
    // 400 new tokens in 1 s and 200 written in 3 s. For the second call, which failed, only its 4 s are known.
    const known = splitWorkload([told(3000, 4000), told(null, 4000)]);
    const work = splitWorkload([localCall(0), localCall(800)]);
    const { allCloud } = counterfactualOf(work, reference, known, 'tokens');
    expect(allCloud.seconds?.value).toBeCloseTo(1200 / 400 + 200 / (200 / 3), 9);
  });

  it("lets a recipe's first call read its whole prompt here, and the others their share", () => {
    const here = recipeRun(5, 27_500, 'gave-up');
    const call = { ...cloudCall(0.001), end: { ...cloudCall(0.001).end } };
    const usage = { ...call.end.usage, freshInput: 1000, cacheRead: 0 };
    const there = splitWorkload(Array.from({ length: 3 }, () => ({ ...call, end: { ...call.end, usage } })));
    // 4,000 tokens follow the first 1,000. This machine kept 4,500 in its own run, so all of them count as kept.
    const { allLocal } = counterfactualOf(there, null, addSplitWorkload(here, there), 'tokens');
    expect(allLocal.seconds?.value).toBeCloseTo(1000 / 200 + 600 / 20, 9);
  });

  it('has an interval as wide as real runs were found to differ', () => {
    const work = splitWorkload([localCall(0), cloudCall(0.01)]);
    const run = counterfactualOf(work, reference);
    const tokens = counterfactualOf(work, reference, work, 'tokens');
    for (const [wide, narrow, found] of [
      [run.allCloud.seconds, tokens.allCloud.seconds, runs.cloudSeconds],
      [run.allLocal.seconds, tokens.allLocal.seconds, runs.localSeconds],
    ] as const) {
      const measured = wide === run.allCloud.seconds ? 4 : 10;
      const guessed = (wide?.value ?? 0) - measured;
      expect(wide?.value).toBe(narrow?.value);
      expect(wide?.high).toBeCloseTo(Math.max(narrow?.high ?? 0, measured + guessed * found.high), 9);
      expect(wide?.low).toBeCloseTo(Math.min(narrow?.low ?? 0, measured + guessed * found.low), 9);
    }
    expect(run.allCloud.formula).toContain(`${runs.tasks} tasks`);
    expect(tokens.allCloud.formula).not.toContain('real runs');
  });

  it('is a measured figure when all of it ran there', () => {
    const local = counterfactualOf(splitWorkload([localCall(0, { wattHours: 1, source: 'rapl', usd: 0.3 })]), null);
    expect(local.allLocal).toMatchObject({ basis: 'measured', usd: { value: 0.3, low: 0.3, high: 0.3 } });
    const said = counterfactualOf(splitWorkload([localCall(0, { wattHours: 1, source: 'settings', usd: 0.3 })]), null);
    expect(said.allLocal).toMatchObject({ basis: 'estimated', usd: { value: 0.3 } });
    const cloud = counterfactualOf(splitWorkload([cloudCall(0.01)]), reference);
    expect(cloud.allCloud).toMatchObject({ basis: 'measured', usd: { value: 0.01, low: 0.01, high: 0.01 } });
  });

  it('is absent without a cloud model, a price, a speed or a meter', () => {
    expect(counterfactualOf(splitWorkload([localCall(0)]), null).allCloud).toMatchObject({
      usd: null,
      why: expect.stringContaining('no cloud model'),
    });
    const unpriced = counterfactualOf(splitWorkload([localCall(0), cloudCall(null)]), reference);
    expect(unpriced.allCloud).toMatchObject({ usd: null, why: expect.stringContaining('without a known price') });
    expect(counterfactualOf(splitWorkload([cloudCall(1)]), reference).allLocal).toMatchObject({
      usd: null,
      seconds: null,
    });
    expect(counterfactualOf(splitWorkload([localCall(0), cloudCall(1)]), reference).allLocal).toMatchObject({
      usd: null,
      why: expect.stringContaining('not metered'),
    });
  });

  it('for a day is the sum of its steps', () => {
    const calls = [localCall(0), localCall(700), cloudCall(0.02), localCall(900), cloudCall(0.01)];
    const sum = calls.map((call) => splitWorkload([call])).reduce(addSplitWorkload, noSplitWorkload);
    expect(sum).toEqual(splitWorkload(calls));
  });

  /** A recipe run with `calls` local calls of 5.5 s each, which ended after `tookMs`. */
  function recipeRun(calls: number, tookMs: number, reason: 'done' | 'gave-up', more: readonly RecipeRun[] = []) {
    const run = {
      recipe: 'fix-failing-tests',
      model: 'm',
      where: 'local',
      tookMs,
      calls,
      written: calls * 100,
      modelMs: calls * 5500,
    } as const;
    const ended = recipeRunsOf([run, ...more], reason, 15);
    return withRecipeRuns(splitWorkload(Array.from({ length: calls }, () => localCall(900))), ended);
  }
  const there = (calls: number, ms: number) =>
    splitWorkload(
      Array.from({ length: calls }, () => {
        const { where, end } = cloudCall(0.001);
        return { where, end: { ...end, timings: { ...end.timings, totalMs: ms } } };
      }),
    );
  const usdOf = (work: ReturnType<typeof recipeRun>, known: ReturnType<typeof there>) =>
    counterfactualOf(work, reference, addSplitWorkload(work, known)).allCloud.usd?.value ?? 0;

  it('allows a recipe only as many questions as fit into its time there', () => {
    const through = recipeRun(10, 60_000, 'gave-up');
    const perCall = usdOf(through, there(4, 100)) / 10;
    // A call there takes 50 s and the tests half a second. The limit of 250 s passes during the fifth call, which is
    // finished.
    const units = 100 + 100 * 10;
    const slow = there(4, (50_000 * (400 + 200 * 10)) / units);
    expect(usdOf(through, slow) / perCall).toBeCloseTo(250 / 50.5 + 0.5, 9);
    expect(usdOf(recipeRun(10, 60_000, 'done'), slow) / perCall).toBeCloseTo(250 / 50.5 + 0.5, 9);
  });

  it('uses the usual speed of calls, not one slow hour', () => {
    const run = { recipe: 'fix-failing-tests', model: 'c', where: 'cloud', calls: 5, written: 0 } as const;
    const runs = [10_000, 10_000, 1_000_000].map((modelMs) => ({ ...run, modelMs, tookMs: modelMs }));
    const ended = runs.flatMap((one) => recipeRunsOf([one], 'gave-up', 15));
    const known = withRecipeRuns(there(15, (1_020_000 * 2400) / 1100 / 15), ended);
    const through = recipeRun(10, 60_000, 'gave-up');
    // By the sum of their times a call took 68 s there, and four would have fit.
    expect(usdOf(through, known)).toBeCloseTo(usdOf(through, there(4, 100)), 9);
  });

  it('expects as much written per question as the model usually writes in that recipe', () => {
    const work = recipeRun(10, 60_000, 'gave-up');
    const asked = { recipe: 'fix-failing-tests', model: 'c', where: 'cloud', tookMs: 9000, calls: 4 } as const;
    const knownBy = (count: number, reason: 'gave-up' | 'answered') => {
      const ended = recipeRunsOf([{ ...asked, written: 4 * 25, modelMs: 8000 }], reason, 15);
      return Array.from({ length: count }, () => withRecipeRuns(there(4, 100), ended)).reduce(addSplitWorkload);
    };
    const readUsd = (10 * 100 * 2.5 + 10 * 900 * 0.2) / 1e6;
    const writtenBy = (known: ReturnType<typeof there>) => (usdOf(work, known) - readUsd) / 10e-6;
    expect(writtenBy(there(4, 100))).toBeCloseTo(1000, 6);
    // 25 tokens per question there and 100 here. After four runs the estimate is the geometric mean, and after many
    // runs it is 25.
    expect(writtenBy(knownBy(4, 'gave-up'))).toBeCloseTo(500, 6);
    expect(writtenBy(knownBy(4000, 'gave-up'))).toBeCloseTo(250, 0);
    // A run that answered a user says nothing about the answers to a recipe's questions.
    expect(writtenBy(knownBy(4, 'answered'))).toBeCloseTo(1000, 6);
    const { allCloud } = counterfactualOf(work, reference, addSplitWorkload(work, knownBy(4, 'gave-up')));
    expect(allCloud.formula).toContain('tokens written times 0.50');
  });

  it('expects the usual number of questions when time ran out only here', () => {
    const cut = recipeRun(5, 251_000, 'gave-up');
    const perCall = usdOf(recipeRun(5, 60_000, 'gave-up'), there(4, 1)) / 5;
    expect(usdOf(cut, there(4, 1)) / perCall).toBeGreaterThan(5);
    // How many calls a stopped run would have made is unknown, so the count stays as it is.
    const stopped = withRecipeRuns(splitWorkload([localCall(900)]), recipeRunsOf([], 'cancelled', 15));
    expect(usdOf(stopped, there(4, 1)) / perCall).toBeCloseTo(1, 9);
  });

  it('counts once what the cloud was asked after this machine had failed', () => {
    const more = {
      recipe: 'fix-failing-tests',
      model: 'c',
      where: 'cloud',
      tookMs: 9000,
      calls: 10,
      written: 1000,
      modelMs: 9000,
    } as const;
    for (const reason of ['done', 'gave-up'] as const) {
      const both = addSplitWorkload(recipeRun(10, 60_000, reason, [more]), there(10, 100));
      expect(counterfactualOf(both, reference).allCloud.usd?.value).toBeCloseTo(0.01, 12);
    }
    // The cloud was asked fewer questions because some answers were known. Alone it would have asked the rest as well.
    const short = addSplitWorkload(
      recipeRun(10, 60_000, 'gave-up', [{ ...more, calls: 4, written: 400 }]),
      there(4, 100),
    );
    const perCall = usdOf(recipeRun(10, 60_000, 'gave-up'), there(4, 100)) / 10;
    expect(counterfactualOf(short, reference).allCloud.usd?.value).toBeCloseTo(0.004 + 6 * perCall, 12);
  });

  /** A takeover: local calls without success, then a number of calls of the cloud's loop. */
  function takeover(
    here: number,
    cloud: number,
    reason: 'done' | 'gave-up' = 'done',
    recipe: string | null = 'fix-failing-tests',
  ) {
    const own = {
      recipe,
      model: 'm',
      where: 'local',
      tookMs: 60_000,
      calls: here,
      written: here * 100,
      modelMs: here * 5500,
    } as const;
    const loop = {
      recipe: null,
      model: 'c',
      where: 'cloud',
      tookMs: 9000,
      calls: cloud,
      written: cloud * 200,
      modelMs: 8000,
    } as const;
    const calls = splitWorkload(Array.from({ length: here }, () => localCall(900)));
    return withRecipeRuns(addSplitWorkload(calls, there(cloud, 2000)), recipeRunsOf([own, loop], reason, 15));
  }

  // Catches: a claimed saving that is only this machine's wasted work at cloud prices.
  it('does not price local attempts that failed before the cloud did the work', () => {
    for (const [reason, recipe] of [
      ['done', 'fix-failing-tests'],
      ['gave-up', 'fix-failing-tests'],
      ['done', null],
    ] as const) {
      const work = takeover(12, 3, reason, recipe);
      const { allCloud, allLocal } = counterfactualOf(work, reference);
      expect(allCloud.usd?.value).toBeCloseTo(0.003, 12);
      expect(allCloud.seconds?.value).toBeCloseTo(6, 9);
      // The cloud would have begun without the handoff, so the figure is not exact.
      expect(allCloud.usd?.low).toBeLessThan(0.003);
      expect(allCloud.usd?.high).toBeGreaterThan(0.003);
      expect(allCloud.formula).toContain('are not counted');
      // This machine alone would have ended where it gave up.
      expect(allLocal.seconds?.value).toBeCloseTo(12 * 5.5, 9);
      expect(allLocal.formula).toContain('had given up');
    }
  });

  it('still prices local work beside a task that the cloud took over', () => {
    const alone = usdOf(recipeRun(4, 20_000, 'done'), there(4, 100));
    const both = addSplitWorkload(recipeRun(4, 20_000, 'done'), takeover(4, 3));
    const { allCloud } = counterfactualOf(both, reference, addSplitWorkload(both, there(4, 100)));
    expect(allCloud.usd?.value).toBeCloseTo(0.003 + alone, 12);
  });

  // Four tasks at 3 and 15 dollars a million: hybrid cost 0.1133, and all of them in the cloud about 0.12. Bug: the
  // screen showed 0.184.
  it('matches the real cloud cost of four tasks', () => {
    const dear = { model: 'sky/model', price: { input: 3, output: 15, source: 'test', date: '2026-11-23' } };
    const billed = [0.0402, 0.0349, 0.0382].map((usd) =>
      withRecipeRuns(
        splitWorkload([...Array.from({ length: 8 }, () => localCall(900)), cloudCall(usd / 2), cloudCall(usd / 2)]),
        recipeRunsOf(
          [
            {
              recipe: 'fix-failing-tests',
              model: 'm',
              where: 'local',
              tookMs: 60_000,
              calls: 8,
              written: 800,
              modelMs: 44_000,
            },
            { recipe: null, model: 'c', where: 'cloud', tookMs: 9000, calls: 2, written: 400, modelMs: 8000 },
          ],
          'done',
          15,
        ),
      ),
    );
    const work = [...billed, recipeRun(2, 11_000, 'done')].reduce(addSplitWorkload);
    const { allCloud } = counterfactualOf(work, dear);
    expect(Math.abs((allCloud.usd?.value ?? 0) - 0.12) / 0.12).toBeLessThan(0.25);
    expect(allCloud.usd?.low).toBeLessThan(0.12);
    expect(allCloud.usd?.high).toBeGreaterThan(0.12);
  });

  // Catches: a loss that is not reported, and a saving that the interval does not support.
  it('reports a loss as plainly as a gain, and neither when the interval holds both', () => {
    const { local } = splitWorkload([localCall(0)]);
    const work = { local, cloud: splitWorkload([cloudCall(0.02)]).cloud };
    const there = (usd: number, seconds: number) => ({
      basis: 'estimated' as const,
      usd: { value: usd, low: usd * 0.8, high: usd * 1.25 },
      seconds: { value: seconds, low: seconds * 0.8, high: seconds * 1.25 },
      why: null,
      formula: '',
    });
    expect(comparedWith(there(0.01, 2), work)).toMatchObject({ usd: { way: 'more' }, seconds: { way: 'more' } });
    expect(comparedWith(there(0.05, 200), work)).toMatchObject({ usd: { way: 'less' }, seconds: { way: 'less' } });
    expect(comparedWith(there(0.021, 13), work)).toMatchObject({
      usd: { way: 'unclear' },
      seconds: { way: 'unclear' },
    });
    expect(comparedWith(there(0.01, 2), work).usd?.by).toBeCloseTo(0.01, 12);
    const unpriced = splitWorkload([cloudCall(null)]);
    expect(comparedWith(there(0.01, 2), unpriced).usd).toBeNull();
    expect(comparedWith({ ...there(0.01, 2), basis: 'measured' }, work)).toEqual({ usd: null, seconds: null });
  });
});
