import { describe, expect, it } from 'vitest';
import { errorOf, isCovered, type Held } from '../../../bench/lib/pair-figures.ts';
import { guessesHeldOf, publishedHeld } from '../../../bench/lib/guesses-held.ts';
import { readPairResults } from '../../../bench/lib/pair-results.ts';
import { median } from '../../../bench/lib/statistics.ts';
import { needsHeldOf } from '../../../bench/lib/task-needs-held.ts';
import { comparedWith } from '../../../src/shared/money/counterfactual.ts';
import type { TaskNeed } from '../../../src/shared/money/task-needs.ts';
import { neededBy, needOf } from '../../../src/shared/money/task-needs.ts';
import { counterfactualOfTurns } from '../../../src/shared/money/turn-counterfactual.ts';
import { sessionWork } from '../../../src/shared/money/workload.ts';
import { reduceSession } from '../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../src/shared/session/session-state.ts';
import type { MadeTurn } from './task-turns.ts';
import { turnsAsEvents } from './task-turns.ts';

const stateOf = (turns: readonly MadeTurn[]) => turnsAsEvents(turns).reduce(reduceSession, emptySession);
const price = { input: 3, output: 15, source: 'test', date: '2026-11-25' };

const repair = (size: number, value: number, way = 'loop'): TaskNeed => ({ kind: 'repair', way, size, value });
/** Tasks whose cost grows with their size. */
const record = [1000, 1500, 2000, 3000, 4000, 2500, 1200, 1800, 3500, 2200].map((size, index) =>
  repair(size, size * 1e-5 * (index % 2 === 0 ? 1.1 : 0.9)),
);

describe('the estimated cost of a task for a model', () => {
  /** Catches: a figure that is right only for the tasks that it was made from. */
  it('has the published accuracy when it leaves each measured task out', async () => {
    const done = [...(await readPairResults('bench/data/pair-held.jsonl')).values()];
    const pairs = done.flatMap((local) => {
      const cloud = done.find(({ task, policy }) => task === local.task && policy === 'cloud');
      return local.policy === 'local' && cloud !== undefined ? [{ task: local.task, local, cloud }] : [];
    });
    expect(pairs).toHaveLength(33);
    const { cloudUsd } = needsHeldOf(pairs);
    const sum = (of: (one: Held) => number): number => cloudUsd.reduce((total, one) => total + of(one), 0);
    // The four questions are too few to learn from.
    expect(cloudUsd).toHaveLength(29);
    expect(median(cloudUsd.map(errorOf))).toBeLessThan(0.25);
    expect(cloudUsd.filter(isCovered).length / cloudUsd.length).toBeGreaterThan(0.8);
    expect(Math.abs(sum(({ value }) => value) / sum(({ real }) => real) - 1)).toBeLessThan(0.1);
  });

  /** Catches: a guess whose interval does not hold where nothing is known of a home. */
  it('lies within its interval for most measured or published tasks', async () => {
    const done = [...(await readPairResults('bench/data/pair-held.jsonl')).values()];
    const pairs = done.flatMap((cloud) =>
      cloud.policy === 'cloud' ? [{ task: cloud.task, local: cloud, cloud }] : [],
    );
    const [recorded, published] = [guessesHeldOf(pairs), publishedHeld()];
    expect([recorded.length, published.length]).toEqual([33, 23]);
    expect(recorded.filter(isCovered).length / recorded.length).toBeGreaterThanOrEqual(0.9);
    expect(published.filter(isCovered).length / published.length).toBeGreaterThanOrEqual(0.9);
  });

  it('grows with the size of the task, with an interval', () => {
    const small = neededBy(record)({ kind: 'repair', way: 'loop', size: 1000 });
    const large = neededBy(record)({ kind: 'repair', way: 'loop', size: 4000 });
    expect(small?.tasks).toBe(10);
    expect((large?.value ?? 0) / (small?.value ?? 1)).toBeGreaterThan(3);
    expect(large?.low).toBeLessThan(0.036);
    expect(large?.high).toBeGreaterThan(0.044);
  });

  /** Catches: a recipe's short prompt that makes the task of a loop look small. */
  it('ignores the size of a prompt that was made in another way', () => {
    const values = [200, 20_000].map((size) => neededBy(record)({ kind: 'repair', way: 'fix', size })?.value);
    expect(values[0]).toBe(values[1]);
  });

  it('is absent with few records of that kind', () => {
    expect(neededBy(record)({ kind: 'change', way: 'loop', size: 1000 })).toBeNull();
    expect(neededBy(record.slice(0, 4))({ kind: 'repair', way: 'loop', size: 1000 })).toBeNull();
    expect(neededBy([])({ kind: 'repair', way: 'loop', size: 1000 })).toBeNull();
  });
});

describe('the record of tasks', () => {
  const sky = { where: 'cloud', costUsd: 0.02 } as const;

  it('has only what one cloud model finished alone', () => {
    const state = stateOf([
      { id: 'a', prompt: 1500, calls: [sky, { ...sky, costUsd: 0.01 }] },
      { id: 'asked', prompt: 700, calls: [sky], mode: 'ask', reason: 'answered' },
      { id: 'mixed', prompt: 1500, calls: [{ where: 'local', costUsd: 0 }, sky] },
      { id: 'two', prompt: 1500, calls: [sky, { ...sky, model: 'other/m' }] },
      { id: 'unpriced', prompt: 1500, calls: [{ ...sky, costUsd: null }] },
      { id: 'cut', prompt: 1500, calls: [sky], reason: 'cancelled' },
      { id: 'here', prompt: 1500, calls: [{ where: 'local', costUsd: 0 }] },
    ]);
    expect(state.turns.map((turn) => needOf(turn, state.steps))).toEqual([
      { model: 'cloud/m', kind: 'repair', way: 'loop', size: 1500, value: 0.03 },
      { model: 'cloud/m', kind: 'question', way: 'loop', size: 700, value: 0.02 },
      ...Array(5).fill(null),
    ]);
  });
});

describe('the estimated cost of turns done all in the cloud', () => {
  const here = { where: 'local', costUsd: 0 } as const;
  const reference = { model: 'cloud/m', price };
  const wasted = { id: 'a', prompt: 2000, calls: Array(30).fill(here) };

  /** Catches: thirty failed local tries that are priced as if the cloud would make them, too. */
  it('is what the cloud model needed for such tasks, whatever was wasted here', () => {
    const state = stateOf([wasted]);
    const plain = counterfactualOfTurns(state, reference).allCloud;
    const { allCloud } = counterfactualOfTurns(state, { ...reference, needs: record });
    expect(allCloud.usd?.value).toBeCloseTo(0.02, 2);
    expect(allCloud).toMatchObject({ basis: 'estimated', formula: expect.stringContaining('10 or more here') });
    expect(allCloud.seconds).toEqual(plain.seconds);
    const fewer = counterfactualOfTurns(stateOf([{ ...wasted, calls: [here] }]), { ...reference, needs: record });
    expect(fewer.allCloud.usd).toEqual(allCloud.usd);
    expect(comparedWith(allCloud, sessionWork(state)).usd?.way).toBe('less');
  });

  it('uses tokens for a turn that also used the cloud, and is unknown without a cloud model', () => {
    const mixed = stateOf([{ ...wasted, calls: [here, { where: 'cloud', costUsd: 0.05 }] }]);
    const needs = { ...reference, needs: record };
    expect(counterfactualOfTurns(mixed, needs)).toEqual(counterfactualOfTurns(mixed, reference));
    expect(counterfactualOfTurns(mixed, null).allCloud.usd).toBeNull();
    expect(counterfactualOfTurns(stateOf([wasted]), null).allCloud).toMatchObject({
      usd: null,
      why: expect.stringContaining('no cloud model'),
    });
  });

  /** Catches: $0.0017 for a task of a recipe beside a run in the cloud that was measured at $0.0572. */
  it('is a wide guess by the kind of task when there are few records', () => {
    const recipe = { id: 'r', prompt: 300, recipe: 'fix-failing-tests', calls: [here, here] };
    const { allCloud } = counterfactualOfTurns(stateOf([recipe]), reference);
    expect(allCloud.basis).toBe('guessed');
    expect(allCloud.formula).toContain('a guess');
    expect(allCloud.usd?.low).toBeLessThan(0.01);
    expect(allCloud.usd?.value).toBeGreaterThan(0.03);
    expect(allCloud.usd?.high).toBeGreaterThan(0.0572);
    // A few tasks of its own draw it to what they cost.
    const some = { ...reference, needs: Array.from({ length: 4 }, () => repair(2000, 0.01)) };
    expect(counterfactualOfTurns(stateOf([recipe]), some).allCloud.usd?.value).toBeCloseTo(0.0187, 3);
    // A task that still runs, or was cancelled, is priced the same way.
    const cancelled = counterfactualOfTurns(stateOf([{ ...recipe, reason: 'cancelled' }]), reference);
    expect(cancelled.allCloud.usd).toEqual(allCloud.usd);
  });

  it('adds up over the turns of a session', () => {
    const other = { id: 'b', prompt: 2000, failedBefore: false, calls: [here] };
    const state = stateOf([wasted, other, { ...wasted, id: 'c' }]);
    const given = { ...reference, needs: record };
    const each = ['a', 'b', 'c'].map((id) => counterfactualOfTurns(state, given, id).allCloud.usd?.value ?? 0);
    const all = counterfactualOfTurns(state, given).allCloud;
    expect(all.usd?.value).toBeCloseTo(
      each.reduce((sum, one) => sum + one, 0),
      9,
    );
    expect(all.formula).toMatch(/^2 tasks by what .*; a task by what such tasks usually take/u);
  });
});
