import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/main/money/budget.ts';
import { capsOf, createCapChanger } from '../../../src/main/money/spending-limits.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';
import { MemoryReservationsFile, memoryReservations } from '../../fakes/memory-reservations.ts';

const now = (): number => new Date('2026-11-21T12:00:00').getTime();

/** A home whose limits are changed by hand, and calls of its projects. */
function home() {
  let budget = settingsSchema.parse({}).budget;
  const file = new MemoryReservationsFile();
  const opened = { purses: 0 };
  const reservations = async () => {
    opened.purses += 1;
    return memoryReservations(file, now);
  };
  const caps = createCapChanger({
    settings: () => budget,
    save: async (key, value) => {
      budget = settingsSchema.parse({ budget: { ...budget, [key.replace('budget.', '')]: value } }).budget;
    },
    reservations,
  });
  const budgetOf = (projectPath: string) => {
    const settings = () => capsOf(budget, projectPath);
    return createBudget({
      sessionId: 's',
      project: () => projectPath,
      caps: settings,
      reservations,
      ask: async () => null,
    });
  };
  const spend = async (projectPath: string, costUsd: number) => {
    const request = { turnId: 't', step: 1, worstUsd: costUsd, taskCapUsd: null };
    const answer = await budgetOf(projectPath).reserve(request);
    if (answer.type === 'granted') answer.settle(costUsd);
    return answer.type === 'refused' ? answer.cap.scope : 'made';
  };
  const project = async (path: string) => (await caps.show(path)).find(({ scope }) => scope === 'project');
  return { caps, spend, project, budgetOf, opened };
}

describe('a change of the spending limits', () => {
  it('limits a project by its own cap, and the others by the common one', async () => {
    const { caps, spend, project } = home();
    await caps.change({ scope: 'project', projectPath: null }, { how: 'set', usd: 1 });
    await caps.change({ scope: 'project', projectPath: '/a' }, { how: 'set', usd: 3 });
    expect(await spend('/a', 2)).toBe('made');
    expect(await spend('/b', 2)).toBe('project');
    const own = { scope: 'project', limitUsd: 3, isOwn: true, raisedUsd: 0, spentUsd: 2, heldUsd: 0 };
    expect(await project('/a')).toEqual(own);
    await caps.change({ scope: 'project', projectPath: '/a' }, { how: 'set', usd: null });
    expect(await project('/a')).toEqual({ ...own, limitUsd: 1, isOwn: false });
  });

  it('raises or lowers a cap, never below zero, and fails without a cap', async () => {
    const { caps, project } = home();
    const target = { scope: 'project', projectPath: '/a' } as const;
    await expect(caps.change(target, { how: 'raise', usd: 1 })).rejects.toMatchObject({ code: 'bad-input' });
    await caps.change(target, { how: 'set', usd: 0.1 });
    await caps.change(target, { how: 'raise', usd: 0.2 });
    expect((await project('/a'))?.limitUsd).toBe(0.3);
    await caps.change(target, { how: 'lower', usd: 5 });
    expect((await project('/a'))?.limitUsd).toBe(0);
  });

  it('includes an earlier raise at the cap once', async () => {
    const { caps, project, budgetOf, spend } = home();
    const target = { scope: 'project', projectPath: '/a' } as const;
    await caps.change(target, { how: 'set', usd: 1 });
    await budgetOf('/a').raise('t', 'project', 0.5);
    expect(await project('/a')).toMatchObject({ limitUsd: 1.5, raisedUsd: 0.5 });
    await caps.change(target, { how: 'lower', usd: 0.25 });
    expect(await project('/a')).toMatchObject({ limitUsd: 1.25, raisedUsd: 0 });
    expect(await spend('/a', 1.3)).toBe('project');
    expect(await spend('/a', 1.2)).toBe('made');
  });

  it('opens no reservations without a cap', async () => {
    const { caps, opened } = home();
    expect((await caps.show('/a')).map(({ limitUsd }) => limitUsd)).toEqual([null, null, null, null, null, null]);
    expect(opened.purses).toBe(0);
  });
});
