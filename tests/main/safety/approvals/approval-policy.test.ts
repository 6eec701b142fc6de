import { expect, it } from 'vitest';
import { callRule } from '../../../../src/main/safety/approvals/approval-policy.ts';

it('asks nobody inside the sandbox, somebody at its boundary, and refuses what only reading does not allow', () => {
  expect(callRule('write', 'container', false)).toBe('free');
  expect(callRule('execute', 'container', false)).toBe('free');
  expect(callRule('network', 'container', false)).toBe('approval');
  expect(callRule('read', 'read-only', true)).toBe('free');
  expect(callRule('write', 'read-only', false)).toBe('refused');
  expect(callRule('execute', 'container', true)).toBe('refused');
  expect(callRule('network', 'read-only', false)).toBe('refused');
});
