import { createBudget } from '../../src/main/money/budget.ts';
import type { Budget } from '../../src/main/money/budget.ts';
import { createChildBudget } from '../../src/main/sessions/children/child-budget.ts';
import { memoryReservations, noCaps } from '../../tests/fakes/memory-reservations.ts';
import type { CapRun } from './cap-runs.ts';

/**
 * One made-up task: a parent with limits and some children, calls of all of them side by side, settled later at any
 * cost up to the worst, or never. The sums that judge are kept beside. Beyond: a moment at which a parent, or a child by
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
    { budget: parent, most: null, sum: 0 },
    ...parts.map((most, index) => ({
      budget: createChildBudget({ parent, parentTurnId: 't', parentCapUsd: null, mostUsd: most, log: `c${index}` }),
      most,
      sum: 0,
    })),
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
    if (all() > limit || (spender.most !== null && spender.sum > spender.most + 1e-9)) counts.beyond += 1;
    const costUsd = random() < 0.2 ? null : worstUsd * random();
    open.push(() => {
      answer.settle(costUsd);
      answer.settle(costUsd);
      spender.sum -= worstUsd - (costUsd ?? worstUsd);
    });
  };
  for (let step = 1; step <= 10; step += 1) {
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
  readonly budget: Budget;
  readonly most: number | null;
  /** What it has spent and holds, in US dollars. */
  sum: number;
}
