import { describe, expect, it } from 'vitest';
import { modelOf, noTask } from '../../../../bench/lib/route-events.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';
import { chooseModel } from '../../../../src/main/routing/choose-model.ts';
import type { ChoiceFacts } from '../../../../src/main/routing/define.ts';
import { currentScore } from '../../../../src/main/routing/learned-score.ts';
import { keptHere, leastTasks } from '../../../../src/main/routing/record/bound-harm.ts';
import { expectedWays, nextOf } from '../../../../src/main/routing/record/expected-ways.ts';
import { correctedFails, fitCalibration } from '../../../../src/main/routing/record/fit-calibration.ts';
import { paceOf } from '../../../../src/main/routing/record/pace-of-month.ts';
import { discoverRules } from '../../../../src/main/routing/registry.ts';
import { emptyTrajectory } from '../../../../src/main/routing/trajectory/trajectory.ts';
import type { TaskOutcome } from '../../../../src/shared/routing/outcomes.ts';
import { profiles } from '../../../../src/shared/routing/routing-profiles.ts';
import type { RoutingNumbers } from '../../../../src/shared/routing/routing.ts';
import { madeOutcome } from '../../../fakes/made-outcomes.ts';

const noVersion = () => '';
const place = { model: 'local/model', version: '', project: 'p', now: 0, limit: 0.1 };

const first = { model: 'local/model', version: '', where: 'local' } as const;

function many(count: number, more: Partial<TaskOutcome>): readonly TaskOutcome[] {
  return Array.from({ length: count }, () => madeOutcome({ first, ...more }));
}

describe('the bound of the harm of a record', () => {
  it('is not known with fewer tasks than it takes without a single failure', () => {
    expect([0.2, 0.1, 0.05].map(leastTasks)).toEqual([14, 29, 59]);
    expect(keptHere(many(28, {}), place)).toMatchObject({ tasks: 28, upTo: null, bound: null, isTooMuch: false });
    expect(keptHere(many(29, {}), place)).toMatchObject({ upTo: 1, bound: expect.closeTo(0.098, 3) });
  });

  it('keeps the tasks that seemed sure where only the others failed', () => {
    const sure = many(60, { fails: 0.2 });
    const unsure = many(20, { fails: 0.8, solved: false });
    const kept = keptHere([...sure, ...unsure], place);
    expect(kept.upTo).toBeGreaterThan(0.2);
    expect(kept.upTo).toBeLessThanOrEqual(0.8);
    expect(kept.bound).toBeLessThan(0.1);
  });

  it('counts no failure that the cloud shares, or did away with', () => {
    const failed = many(10, { solved: false, hasCloudTried: true, policy: 'hybrid' });
    expect(keptHere([...many(30, {}), ...failed], place)).toMatchObject({ tasks: 40, harms: 0 });
  });

  it('goes by the project alone once it has enough, and by one version of a model', () => {
    const elsewhere = many(60, { project: 'q', solved: false });
    expect(keptHere([...elsewhere, ...many(29, {})], place)).toMatchObject({ scope: 'project', harms: 0 });
    expect(keptHere(elsewhere, place)).toMatchObject({ scope: 'home', isTooMuch: true });
    const other = many(60, { first: { ...first, version: 'q4' }, solved: false });
    expect(keptHere(other, { ...place, version: 'q8' })).toMatchObject({ tasks: 0 });
  });
});

/** The start of a task that both models could do. */
function startBy(numbers: Partial<RoutingNumbers>): ReturnType<typeof chooseModel> {
  const seat = (name: 'local' | 'cloud') => ({
    info: modelOf(name, 32_768, name === 'cloud' ? { input: 3, output: 15 } : null, name === 'cloud'),
    promptTokens: 1_000,
    maxOutputTokens: 500,
    canDrive: true,
    strategy: 'loop' as const,
  });
  const facts: ChoiceFacts = {
    purpose: 'act',
    policy: 'hybrid',
    numbers: { ...profiles.balanced, score: currentScore.digest, ...numbers },
    options: [seat('local'), seat('cloud')],
    spent: [],
    isRecipeChecked: false,
    taint: [],
    shut: null,
    pin: null,
    needs: { images: false },
    budgetLeftUsd: null,
    task: noTask,
    trajectory: emptyTrajectory,
    trouble: null,
    now: 0,
  };
  return chooseModel(facts, discoverRules());
}

describe('the dial', () => {
  const good = keptHere(many(60, {}), place);
  const bad = keptHere(many(40, { solved: false }), place);
  const few = keptHere(many(12, {}), place);

  it('keeps work here that is surely good enough, whatever a task is worth', () => {
    const decision = startBy({ kept: good, valueUsd: 1_000 });
    expect([decision.chosen?.info.where, decision.code]).toEqual(['local', 'kept']);
    expect(decision.text).toContain('at most 1 in 20 tasks end worse than in the cloud');
    expect(startBy({ valueUsd: 1_000 }).chosen?.info.where).toBe('cloud');
  });

  it('sends work up that surely is not, whatever it costs, but not past the pace of the month', () => {
    const decision = startBy({ kept: bad, valueUsd: 0 });
    expect([decision.chosen?.info.where, decision.code]).toEqual(['cloud', 'harm']);
    expect(decision.text).toContain('40 of 40 judged tasks failed in this project');
    const dear = startBy({ kept: bad, valueUsd: 0, pace: 5 });
    expect([dear.chosen?.info.where, dear.code]).toEqual(['local', 'pace']);
  });

  it('says what is not known yet, and decides by value and price until then', () => {
    const [known, plain] = [startBy({ kept: few }), startBy({})];
    expect(known.chosen?.info.id).toBe(plain.chosen?.info.id);
    expect(known.text).toContain('not known yet: 12 of at least 29 judged tasks.');
    expect(plain.text).not.toContain('known yet');
  });

  it('says nothing of a model that the record is not about', () => {
    expect(startBy({ kept: { ...good, model: 'local/other' } }).code).not.toBe('kept');
  });
});

describe('the calibration of a model', () => {
  it('draws overconfident chances to what happened, the more the more tasks there are', () => {
    const random = seeded(3);
    const drawn = (count: number) =>
      Array.from({ length: count }, () => madeOutcome({ first, fails: 0.1, solved: random() < 0.5 }));
    const failsAfter = (count: number): number => {
      const lines = fitCalibration(drawn(count), { models: ['local/model'], versionOf: noVersion });
      return correctedFails(0.1, lines['local/model']?.['repair'] ?? { shift: 0, slope: 1 });
    };
    const [few, more, lots] = [failsAfter(4), failsAfter(40), failsAfter(400)];
    expect(few).toBeGreaterThan(0.1);
    expect(few).toBeLessThan(0.3);
    expect(more).toBeGreaterThan(few);
    expect(lots).toBeGreaterThan(0.4);
    expect(lots).toBeLessThan(0.56);
  });

  it('leaves chances alone that are right, and those of models without a record', () => {
    const right = Array.from({ length: 200 }, (_, at) => madeOutcome({ first, fails: 0.25, solved: at % 4 !== 0 }));
    const lines = fitCalibration(right, { models: ['local/model', 'other'], versionOf: noVersion });
    expect(correctedFails(0.25, lines['local/model']?.['repair'] ?? { shift: 9, slope: 1 })).toBeCloseTo(0.25, 1);
    expect(lines['other']).toBeUndefined();
    expect(startBy({ calibration: { 'local/model': { change: { shift: -2, slope: 1 } } } }).gain).toBeGreaterThan(
      startBy({}).gain ?? 1,
    );
  });
});

describe('the pace of a month', () => {
  const at = (day: number): number => new Date(2026, 10, day, 12).getTime();
  const limit = { limitUsd: 30, spentUsd: 0 };

  it('makes a dollar count once up to an even pace, and more the faster it is spent', () => {
    const spent = (spentUsd: number, recentUsd: number) => paceOf({ ...limit, spentUsd }, recentUsd, at(10));
    expect([spent(0, 0), spent(9, 3)]).toEqual([1, 1]);
    expect(spent(15, 3)).toBeGreaterThan(2);
    expect(spent(15, 10)).toBeGreaterThan(spent(15, 3));
    expect(paceOf({ limitUsd: 0, spentUsd: 0 }, 0, at(1))).toBe(100);
  });

  it('leaves money for the last days, where without it the first ones use it up', () => {
    /** Tasks of a month: what the cloud gains and costs in each. */
    const play = (isPaced: boolean): number => {
      const random = seeded(8);
      const days = Array.from({ length: 30 }, () => 0);
      let spentUsd = 0;
      for (let day = 0; day < 30; day += 1)
        for (let task = 0; task < 20; task += 1) {
          const [gainUsd, costUsd] = [random() * 2, 0.1 + random() * 0.2];
          const recent = days.slice(Math.max(0, day - 2), day + 1).reduce((sum, one) => sum + one, 0);
          const factor = isPaced ? paceOf({ limitUsd: 30, spentUsd }, recent, at(day + 1)) : 1;
          if (gainUsd <= costUsd * factor || spentUsd + costUsd > 30) continue;
          spentUsd += costUsd;
          days[day] = (days[day] ?? 0) + costUsd;
        }
      return days.slice(20).reduce((sum, one) => sum + one, 0);
    };
    expect(play(false)).toBeLessThan(1);
    expect(play(true)).toBeGreaterThan(5);
  });
});

describe('what a task is likely to bring', () => {
  const asked = {
    project: 'p',
    kind: 'work',
    now: 0,
    local: 'local/model',
    cloud: 'cloud/model',
    versionOf: noVersion,
    price: { input: 3, output: 15, source: 'test', date: '2026-11-29' },
    policy: 'cloud',
  } as const;

  it('is unknown without a record, but for a guess of the price', () => {
    const { ways, warning } = expectedWays([], asked);
    expect(ways.map(({ solves, seconds, usd, isGuess }) => [solves, seconds, usd !== null, isGuess])).toEqual([
      [null, null, true, false],
      [null, null, false, false],
      [null, null, true, true],
    ]);
    expect(warning).toBeNull();
  });

  it('is counted for this kind of task and way, with intervals, and warns of a needless cloud', () => {
    const here = [...many(7, { seconds: 360 }), ...many(3, { solved: false, seconds: 400 })];
    const both = many(5, { policy: 'hybrid', usd: 0.06, seconds: 200 });
    const { ways, warning } = expectedWays([...here, ...both, ...many(9, { kind: 'question', solved: false })], asked);
    expect(ways[0]?.solves).toMatchObject({
      tasks: 10,
      solved: 7,
      low: expect.closeTo(0.4, 1),
      high: expect.closeTo(0.89, 1),
    });
    expect(ways[0]?.seconds?.value).toBeCloseTo(371, -1);
    expect(ways[1]?.usd).toMatchObject({ value: expect.closeTo(0.06) });
    expect(warning).toContain('solves 7 of 10 such tasks');
    expect(expectedWays(here, { ...asked, policy: 'hybrid' }).warning).toBeNull();
  });

  it('holds the next value in most draws', () => {
    const random = seeded(4);
    const draw = (): number => 100 * Math.exp(random() + random() - 1);
    let held = 0;
    for (let round = 0; round < 400; round += 1) {
      const found = nextOf(Array.from({ length: 12 }, draw));
      const next = draw();
      if (found !== null && next >= found.low && next <= found.high) held += 1;
    }
    expect(held / 400).toBeGreaterThan(0.85);
    expect(nextOf([1, 2])).toBeNull();
    expect(nextOf([0, 0, 0.4])).toMatchObject({ low: 0, high: 0.8 });
  });
});
