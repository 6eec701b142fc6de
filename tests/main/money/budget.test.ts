import { describe, expect, it } from 'vitest';
import type { BudgetAnswer } from '../../../src/main/money/budget.ts';
import type { CapScope } from '../../../src/shared/events/approval-events.ts';
import { createBudget } from '../../../src/main/money/budget.ts';
import { noKeys } from '../../../src/main/money/reservations/reservations-state.ts';
import { lineCodec, MemoryReservationsFile, memoryReservations, noCaps } from '../../fakes/memory-reservations.ts';

const at = (text: string): number => new Date(`${text}T12:00:00`).getTime();

/** Sessions of one home that share a reservation log, with a clock that the test sets. */
function home(caps: Partial<Record<CapScope, number>>) {
  const clock = { now: at('2026-11-21') };
  const reservations = memoryReservations(new MemoryReservationsFile(), () => clock.now);
  const call = async (sessionId: string, projectPath: string | null, costUsd: number): Promise<CapScope | 'made'> => {
    const budget = createBudget({
      sessionId,
      project: () => projectPath,
      caps: () => ({ ...noCaps, ...caps }),
      reservations: async () => reservations,
      ask: async () => null,
    });
    const answer: BudgetAnswer = await budget.reserve({ turnId: 't', step: 1, worstUsd: costUsd, taskCapUsd: null });
    if (answer.type === 'granted') answer.settle(costUsd);
    return answer.type === 'refused' ? answer.cap.scope : 'made';
  };
  return { clock, call };
}

describe('the cap', () => {
  it.each([
    ['session', ['s1', '/a'], ['s2', '/a']],
    ['project', ['s2', '/a'], ['s2', '/b']],
  ] as const)('of a %s counts only what belongs to it', async (scope, same, other) => {
    const { call } = home({ [scope]: 1 });
    expect(await call('s1', '/a', 0.7)).toBe('made');
    expect(await call(same[0], same[1], 0.7)).toBe(scope);
    expect(await call(other[0], other[1], 0.7)).toBe('made');
  });

  it.each([
    ['day', '2026-11-22'],
    ['month', '2026-12-01'],
  ] as const)('of a %s begins again with the next one, and not after a clock was put back', async (scope, next) => {
    const { clock, call } = home({ [scope]: 1 });
    expect(await call('s1', null, 0.7)).toBe('made');
    expect(await call('s2', '/a', 0.7)).toBe(scope);
    clock.now = at(next);
    expect(await call('s1', null, 0.7)).toBe('made');
    expect(await call('s1', null, 0.7)).toBe(scope);
    clock.now = at('2026-11-21');
    expect(await call('s1', null, 0.7)).toBe(scope);
    clock.now = 0;
    expect(await call('s1', null, 0.7)).toBe(scope);
    clock.now = at(next);
    expect(await call('s1', null, 0.7)).toBe(scope);
  });

  /** Catches: a new day for money by a clock that was put back to a day before all that the logs know. */
  it('counts for the latest day of the log', async () => {
    const file = new MemoryReservationsFile();
    const keys = { ...noKeys, day: '2026-11-21', month: '2026-11' };
    file.append(lineCodec.seal({ type: 'spent', at: 0, nano: 0.7e9, keys }));
    const clock = { now: at('2026-10-03') };
    const reservations = memoryReservations(file, () => clock.now);
    expect(reservations.today()).toEqual({ day: '2026-11-21', month: '2026-11' });
    clock.now = at('2026-12-01');
    expect(reservations.today()).toEqual({ day: '2026-12-01', month: '2026-12' });
    await reservations.raise('project', '/a', 1);
    clock.now = at('2026-10-03');
    expect(memoryReservations(file, () => clock.now).today()).toEqual({ day: '2026-12-01', month: '2026-12' });
  });

  it('that is tightest decides', async () => {
    const { call } = home({ step: 5, session: 3, day: 2, month: 4 });
    expect(await call('s1', '/a', 6)).toBe('step');
    expect(await call('s1', '/a', 3.5)).toBe('session');
    expect(await call('s1', '/a', 2.5)).toBe('day');
    expect(await call('s1', '/a', 2)).toBe('made');
  });

  /** Catches: a limit that ends in the middle of a turn, because the project gets another key. */
  it('of a project goes along with it, with what running calls reserved, also in a running turn', async () => {
    const reservations = memoryReservations();
    const place = { key: 'project:a' };
    const budget = createBudget({
      sessionId: 's1',
      project: () => place.key,
      caps: () => ({ ...noCaps, project: 1 }),
      reservations: async () => reservations,
      ask: async () => null,
    });
    const ask = (worstUsd: number) => budget.reserve({ turnId: 't', step: 1, worstUsd, taskCapUsd: null });
    const running = await ask(0.4);
    const done = await ask(0.4);
    if (running.type !== 'granted' || done.type !== 'granted') throw new Error('It was refused.');
    done.settle(0.3);
    await reservations.moveProject('project:a', '/b');
    await reservations.moveProject('project:a', '/b');
    place.key = '/b';
    expect(await ask(0.4)).toMatchObject({ type: 'refused', cap: { spentUsd: 0.3, heldUsd: 0.4 } });
    running.settle(0.1);
    expect(reservations.sums('project', '/b')).toEqual({ spent: 0.4e9, held: 0, raised: 0 });
    expect(reservations.projects()).toEqual(['/b']);
  });
});
