import { createBudget } from '../../src/main/money/budget.ts';
import type { Budget } from '../../src/main/money/budget.ts';
import { createChildBudget } from '../../src/main/sessions/children/child-budget.ts';
import { memoryReservations, noCaps } from '../../tests/fakes/memory-reservations.ts';
import type { CapRun } from './cap-runs.ts';

/**
 * One made-up task: a parent with limits and some children, calls of all of them side by side, settled later at any
 * cost up to the worst, or never; children go on with another run. The sums that judge are kept beside. Beyond: a moment at which a parent, or a child by
 * itself, had spent and held more than it may.
 */
export async function runPurses(random: () => number): Promise<CapRun> {
  const cents = (most: number): number => Math.ceil(random() * most) / 100;
  const caps = { task: random() < 0.5 ? cents(200) : null, session: cents(300) };
  const reservations = memoryReservations();
  const parent = createBudget({
    sessionId: 'parent',
    projectPath: null,
    caps: () => ({ ...noCaps, ...caps }),
    reservations: async () => reservations,
    now: () => 0,
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
  /** What it has spent and holds, in US dollars. */
  sum: number;
  /** Calls that are not settled. */
  open: number;
  /** Every call that was settled had a price. */
  isKnown: boolean;
}

function childBudget(parent: Budget, mostUsd: number | null, spentUsd: number | null): Budget {
  return createChildBudget({ parent, parentTurnId: 't', parentCapUsd: null, mostUsd, spentUsd, log: 'child' });
}

/** A child goes on with another run, when the one before has ended or a crash took it with what it held. */
function goOn(parent: Budget, child: Spender): void {
  const { most, sum, open, isKnown } = child;
  child.budget = childBudget(parent, most, open === 0 && isKnown ? sum : null);
}
