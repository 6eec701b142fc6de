import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ofType } from '../../../fakes/agent-kit.ts';
import type { ChildrenKit } from './children-kit.ts';
import { call, done, openChildrenKit } from './children-kit.ts';

let kit: ChildrenKit;

beforeEach(async () => {
  kit = await openChildrenKit();
});

afterEach(() => kit.dispose());

/** A call costs at least about 0.2 dollars. */
const dear = { where: 'cloud', price: { input: 500, output: 500, source: 'test', date: '2026-11-21' }, repeat: true };

describe('the budget of a child agent', () => {
  /** Catches: an agent whose limit is full again with every message, and one that forgets its limit at a restart. */
  it('covers all its runs, over messages and restarts', async () => {
    const spawn = { task: 'Say it.', access: 'read-only', model: 'one/script', maxUsd: 1 };
    const again = (text: string) => call('agent_manage', { action: 'message', agent: 'agent-1', text });
    await kit.script('lead', [
      call('spawn_agent', spawn),
      ...['Once more.', 'And again.', 'Go on.'].map(again),
      done('Said.'),
    ]);
    await kit.script('one', [{ text: 'Here it is.' }], dear);
    const options = { policy: 'hybrid', cloud: 'one/script' } as const;
    const sessionId = await kit.run('Have it said.', options);
    await kit.reopen();
    await kit.script('lead', [...['A.', 'B.', 'C.', 'D.'].map(again), done('Said.')]);
    const run = { local: 'lead/script', strategy: 'loop', mode: 'work', ...options } as const;
    await kit.core.client.sessions.send({ sessionId, text: 'Again.', options: run });
    await kit.core.client.sessions.result({ sessionId });
    const { state } = await kit.core.client.sessions.show({ sessionId });
    const [child] = state.children ?? [];
    expect(child).toMatchObject({ maxUsd: 1, reason: 'cap' });
    expect(child?.costUsd).toBeGreaterThan(0);
    expect(child?.costUsd).toBeLessThanOrEqual(1);
    const events = await kit.events(sessionId);
    expect(ofType(events, 'child-session-started').map(({ maxUsd }) => maxUsd)).toEqual(Array(8).fill(1));
    const [cap] = ofType(await kit.events(child?.sessionId ?? ''), 'cap-reached');
    expect(cap?.limitUsd).toBe(1);
    expect(cap?.spentUsd).toBeCloseTo(child?.costUsd ?? 0, 6);
    expect(await kit.core.client.sessions.replay({ sessionId })).toMatchObject({ firstDifference: null });
  });
});

describe('the cost of a run with child agents', () => {
  /** Catches: a result, an end line or a window that leaves out what the agents of a run cost. */
  it('is the same in the result and in the list of costs, and counts towards the limit', async () => {
    const price = { input: 3, output: 15, source: 'test', date: '2026-11-28' };
    const paid = { where: 'cloud', price, repeat: true };
    const spawn = (task: string) => call('spawn_agent', { task, access: 'read-only', model: 'one/script' });
    await kit.script('lead', [spawn('Say A.'), spawn('Say B.'), done('Said.')], { where: 'cloud', price });
    await kit.script('one', [{ text: 'Here it is.' }], paid);
    const options = { policy: 'cloud', cloud: 'lead/script', maxUsd: 2 } as const;
    const sessionId = await kit.run('Have it said.', options);
    const result = await kit.core.client.sessions.result({ sessionId });
    const { rows, total } = await kit.core.client.costs({ by: 'session' });
    expect(rows).toHaveLength(3);
    expect(result?.children).toMatchObject({ runs: 2 });
    expect(result?.children?.costUsd).toBeGreaterThan(0);
    expect(result?.costUsd).toBeCloseTo(total.costUsd, 9);
    expect(result?.limit).toMatchObject({ scope: 'task', limitUsd: 2 });
    expect(result?.limit?.spentUsd).toBeCloseTo(total.costUsd, 9);
  });
});
