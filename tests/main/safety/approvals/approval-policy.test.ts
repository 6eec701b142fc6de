import { expect, it } from 'vitest';
import { callRule, standingAnswer } from '../../../../src/main/safety/approvals/approval-policy.ts';

it('a call of a tool is free inside the sandbox, asked about at its boundary, and refused where only reading is allowed', () => {
  expect(callRule('write', 'container', 'work')).toBe('free');
  expect(callRule('execute', 'container', 'work')).toBe('free');
  expect(callRule('network', 'container', 'work')).toBe('approval');
  expect(callRule('read', 'read-only', 'plan')).toBe('free');
  expect(callRule('write', 'read-only', 'work')).toBe('refused');
  expect(callRule('execute', 'container', 'plan')).toBe('refused');
  expect(callRule('network', 'read-only', 'work')).toBe('refused');
});

// Catches: a run with `--approve` in which the question of the agent never reaches the person at the keyboard.
it('a question of the agent goes to the person, however approvals are answered', () => {
  for (const mode of ['ask', 'deny', 'allow'] as const) expect(standingAnswer(mode, 'question')).toBe('ask');
  expect(standingAnswer('allow', 'fence')).toBe('deny');
  expect(standingAnswer('deny', 'network')).toBe('deny');
});
