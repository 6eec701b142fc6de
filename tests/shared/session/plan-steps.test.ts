import { expect, it } from 'vitest';
import { parseEvent } from '../../../src/shared/events/events.ts';
import { carriedSteps, planMessage } from '../../../src/shared/session/plan-steps.ts';
import { reduceSession } from '../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../src/shared/session/session-state.ts';
import type { NewEvent } from '../../../src/shared/events/events.ts';

it('a message that starts a plan is recognized, with its steps unchanged', () => {
  const steps = ['Read calc.py', 'Change add()\nand its test'];
  expect(carriedSteps(planMessage(steps))).toEqual(steps);
  expect(carriedSteps('Carry out the plan.\n\n1. Read calc.py')).toBeNull();
});

it('a plan that a model reports is kept in its turn, cut to a limit, and in no other', () => {
  const limits = { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null };
  const started = (turnId: string): NewEvent => ({
    type: 'turn-started',
    turnId,
    messageId: turnId,
    check: null,
    cascade: [],
    limits,
  });
  const events: readonly NewEvent[] = [
    started('a'),
    started('b'),
    { type: 'plan-progressed', turnId: 'b', items: [{ text: 'old', state: 'open' }] },
    {
      type: 'plan-progressed',
      turnId: 'b',
      items: Array.from({ length: 40 }, () => ({ text: 'x'.repeat(500), state: 'done' as const })),
    },
  ];
  const state = events.reduce((folded, event, index) => {
    const parsed = parseEvent({ ...event, v: 2, seq: index + 1, at: index });
    return parsed === null ? folded : reduceSession(folded, parsed);
  }, emptySession);
  const [first, second] = state.turns;
  expect(first).not.toHaveProperty('planItems');
  expect(second?.planItems).toHaveLength(30);
  expect(second?.planItems?.[0]).toEqual({ text: `${'x'.repeat(200)}…`, state: 'done' });
});
