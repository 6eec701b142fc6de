import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../bench/lib/seeded.ts';
import { sumOfRuns } from '../../../generated/cap-runs.ts';
import { runChildTree } from '../../../generated/child-trees.ts';
import { runPurses } from '../../../generated/child-purses.ts';
import { memoryBudget } from '../../../fakes/memory-reservations.ts';
import { createChildBudget } from '../../../../src/main/sessions/children/child-budget.ts';
import { sampled } from '../../../fakes/sampled.ts';

const trees = sampled(10_000, 300);
const purses = sampled(10_000, 300);
const purse = { parentTurnId: 't', parentCapUsd: null, log: 'child' } as const;

describe('the child agents of a session tree', () => {
  /** Catches: a fork, a restart, a deleted session, a child or two calls at once that exceed the limit. */
  it(`are never more than the caps, over ${trees} trees with forks and restarts`, async () => {
    const random = seeded(31);
    const seen = await sumOfRuns(trees, () => runChildTree(random));
    expect(seen.beyond).toBe(0);
    // Otherwise the test tried nothing.
    expect(seen.granted).toBeGreaterThan(trees);
    expect(seen.refused).toBeGreaterThan(trees);
  });

  /** Catches: two children at once, or a child over its own part, that spend more than their parent may. */
  it(`never spend more than their parent may, over ${purses} schedules`, async () => {
    const random = seeded(32);
    const seen = await sumOfRuns(purses, () => runPurses(random));
    expect(seen.beyond).toBe(0);
    expect(seen.granted).toBeGreaterThan(purses);
    expect(seen.refused).toBeGreaterThan(purses);
  });
});

describe('the budget of a child agent', () => {
  /** Catches: a call without a known price under a limit of its own, which could not be kept. */
  it('cannot be spent when the price is unknown, and the rest is told', async () => {
    const parent = memoryBudget({ session: 1 });
    const budget = createChildBudget({ ...purse, parent, mostUsd: 0.5, spentUsd: 0 });
    const asked = { turnId: 'own', step: 1, taskCapUsd: null };
    expect(await budget.reserve({ ...asked, worstUsd: null })).toMatchObject({
      type: 'refused',
      cap: { limitUsd: 0.5 },
    });
    const granted = await budget.reserve({ ...asked, worstUsd: 0.3 });
    expect(await budget.reserve({ ...asked, worstUsd: 0.3 })).toMatchObject({ cap: { scope: 'task', heldUsd: 0.3 } });
    if (granted.type === 'granted') granted.settle(0.1);
    expect(await budget.left('own', null)).toEqual([
      { scope: 'session', limitUsd: 1, leftUsd: 0.9 },
      { scope: 'task', limitUsd: 0.5, leftUsd: 0.4 },
    ]);
    expect(await parent.left('t', null)).toEqual([{ scope: 'session', limitUsd: 1, leftUsd: 0.9 }]);
  });

  /**
   * Catches: a limit that is full again in every run, and money that is spent again because a crash hid what was spent.
   */
  it('covers all its runs, and an unknown cost uses all of it', async () => {
    const parent = memoryBudget({ session: 1 });
    const asked = { turnId: 'own', step: 1, taskCapUsd: null };
    const second = createChildBudget({ ...purse, parent, mostUsd: 0.5, spentUsd: 0.3 });
    expect(await second.reserve({ ...asked, worstUsd: 0.3 })).toMatchObject({
      type: 'refused',
      cap: { spentUsd: 0.3 },
    });
    expect((await second.reserve({ ...asked, worstUsd: 0.2 })).type).toBe('granted');
    const unknown = createChildBudget({ ...purse, parent, mostUsd: 0.5, spentUsd: null });
    expect(await unknown.reserve({ ...asked, worstUsd: 0.01 })).toMatchObject({ type: 'refused' });
    // A call that costs nothing is still allowed.
    expect((await unknown.reserve({ ...asked, worstUsd: 0 })).type).toBe('granted');
    const free = createChildBudget({ ...purse, parent, mostUsd: null, spentUsd: null });
    expect((await free.reserve({ ...asked, worstUsd: 0.2 })).type).toBe('granted');
  });
});
