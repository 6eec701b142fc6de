import { createBudget } from '../../src/main/money/budget.ts';
import type { Budget } from '../../src/main/money/budget.ts';
import { createChildBudget } from '../../src/main/sessions/children/child-budget.ts';
import { memoryReservations, noCaps } from '../fakes/memory-reservations.ts';
import type { CapRun } from './cap-runs.ts';

/**
 * One made-up task: a parent with limits and some children, whose calls run side by side and settle later at any cost
 * up to the worst, or never. Children go on with another run. The sums to judge by are kept apart from the code under
 * test. Counted as beyond: any moment at which a parent, or a child by itself, has spent and reserved more than it may.
 */
export async function runPurses(random: () => number): Promise<CapRun> {
  const cents = (most: number): number => Math.ceil(random() * most) / 100;
  const caps = { task: random() < 0.5 ? cents(200) : null, session: cents(300) };
  const reservations = memoryReservations();
  const parent = createBudget({
    sessionId: 'parent',
    project: () => null,
    caps: () => ({ ...noCaps, ...caps }),
    reservations: async () => reservations,
    ask: async () => null,
  });
  const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => (random() < 0.5 ? cents(100) : null));
  const spenders: readonly Spender[] = [
    { budget: parent, most: null, sum: 0, open: 0, isKnown: true },
    ...parts.map((most) => ({ budget: childBudget(parent, most, 0), most, sum: 0, open: 0, isKnown: true })),
  ];
  const counts = { beyond: 0, granted: 0, refused: 0 };
  const open: (() => void)[] = [];
  const all = (): number => spenders.reduce((sum, { sum: own }) => sum + own, 0);
  const limit = Math.min(caps.task ?? Number.POSITIVE_INFINITY, caps.session) + 1e-9;
  const call = async (spender: Spender, step: number): Promise<void> => {
    const worstUsd = cents(80);
    const answer = await spender.budget.reserve({ turnId: 't', step, worstUsd, taskCapUsd: null });
    if (answer.type === 'refused') {
      counts.refused += 1;
      return;
    }
    counts.granted += 1;
    spender.sum += worstUsd;
    spender.open += 1;
    if (all() > limit || (spender.most !== null && spender.sum > spender.most + 1e-9)) counts.beyond += 1;
    const costUsd = random() < 0.2 ? null : worstUsd * random();
    open.push(() => {
      answer.settle(costUsd);
      answer.settle(costUsd);
      spender.sum -= worstUsd - (costUsd ?? worstUsd);
      spender.open -= 1;
      spender.isKnown &&= costUsd !== null;
    });
  };
  for (let step = 1; step <= 10; step += 1) {
    const again = spenders[1 + Math.floor(random() * spenders.length * 2)];
    if (again !== undefined) goOn(parent, again);
    const together = Array.from({ length: 1 + Math.floor(random() * 3) }, async () => {
      const spender = spenders[Math.floor(random() * spenders.length)];
      if (spender !== undefined) await call(spender, step);
    });
    await Promise.all(together);
    if (random() < 0.6) open.splice(Math.floor(random() * open.length), 1)[0]?.();
  }
  return counts;
}

interface Spender {
  budget: Budget;
  readonly most: number | null;
  /** What it has spent and reserved, in US dollars. */
  sum: number;
  /** Calls that are not settled. */
  open: number;
  /** Whether every settled call had a price. */
  isKnown: boolean;
}

function childBudget(parent: Budget, mostUsd: number | null, spentUsd: number | null): Budget {
  return createChildBudget({ parent, parentTurnId: 't', parentCapUsd: null, mostUsd, spentUsd, log: 'child' });
}

/** A child goes on with another run after the last one ended, or after a crash that lost what it had reserved. */
function goOn(parent: Budget, child: Spender): void {
  const { most, sum, open, isKnown } = child;
  child.budget = childBudget(parent, most, open === 0 && isKnown ? sum : null);
}
