import { describe, expect, it } from 'vitest';
import { spendingLimitOf } from '../../../src/shared/money/spending-limit.ts';
import { turnCostUsd } from '../../../src/shared/money/turn-money.ts';
import { reduceSession } from '../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../src/shared/session/session-state.ts';
import { call, createAgentKit, ended, turnOptions, type ReplyParts } from '../../fakes/agent-kit.ts';

const price = { input: 3, output: 15, source: 'test', date: '2026-11-28' };
const options = { ...turnOptions, policy: 'cloud', cloud: 'sky/model' } as const;
const paid = { freshInput: 1_000, cacheRead: 0, cacheWrite: 0, output: 200, reasoning: 0, estimated: false };
/** $0.006 */
const step = (path: string): ReplyParts => ({
  stream: [
    { type: 'tool-call', call: { type: 'tool-call', id: path, name: 'read_file', input: { path } } },
    { ...ended('tool-calls', 1_000), usage: paid },
  ],
});

async function stateAfter(caps: object, maxUsd: number | null = null) {
  const kit = createAgentKit({
    cloud: { where: 'cloud', price },
    replies: [step('a.py'), step('b.py'), call('task_complete', { summary: 'ok' })],
    countTokens: () => 1_000,
    caps,
  });
  await kit.runner.send('Read it.', { ...options, maxUsd });
  return kit.journal.events.reduce(reduceSession, emptySession);
}

describe('the shown spending limit', () => {
  it('is that of the task, from the message or the settings, with the cost so far', async () => {
    for (const state of [await stateAfter({}, 1), await stateAfter({ task: 1 }), await stateAfter({ task: 5 }, 1)]) {
      const [turn] = state.turns;
      const spent = turn === undefined ? null : turnCostUsd(turn);
      expect(spent).toBeGreaterThan(0.012);
      expect(spendingLimitOf(state)).toMatchObject({ scope: 'task', limitUsd: 1 });
      expect(spendingLimitOf(state)?.spentUsd).toBeCloseTo(spent ?? 0, 9);
    }
  });

  it('is the tightest one', async () => {
    expect(spendingLimitOf(await stateAfter({ task: 2, session: 3, day: 0.5, month: 9 }))?.scope).toBe('day');
    expect(spendingLimitOf(await stateAfter({ step: 0.3 }))).toBeNull();
    expect(spendingLimitOf(await stateAfter({}))).toBeNull();
  });

  it('grows by what the user added, and is the one being asked about', () => {
    const at = { v: 2, seq: 1, at: 0, turnId: 't' } as const;
    const limits = { maxSteps: 9, maxMinutes: 9, maxTokens: 9, maxUsd: 0.02 };
    const began = { messageId: 'm', check: null, cascade: [], limits };
    const amounts = { scope: 'task', limitUsd: 0.02, spentUsd: 0.018, heldUsd: 0, worstUsd: 0.01 } as const;
    const asked = [
      { ...at, type: 'turn-started', ...began },
      { ...at, type: 'cap-reached', capId: 'c', model: 'sky/model', ...amounts, here: null },
    ] as const;
    const waiting = asked.reduce(reduceSession, emptySession);
    expect(spendingLimitOf(waiting)).toEqual({ scope: 'task', limitUsd: 0.02, spentUsd: 0.018 });
    const answer = { type: 'cap-answered', capId: 'c', answer: 'raise', raisedUsd: 0.05, by: 'person' } as const;
    const after = reduceSession(waiting, { ...at, ...answer });
    expect(spendingLimitOf(after)).toMatchObject({ scope: 'task', limitUsd: 0.07 });
  });
});
