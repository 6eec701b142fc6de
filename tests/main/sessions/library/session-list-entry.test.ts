import { expect, it } from 'vitest';
import { toSessionSummary } from '../../../../src/main/sessions/library/session-list-entry.ts';
import type { StoredSummary } from '../../../../src/main/sessions/store/stored-summary.ts';
import { unorganized } from '../../../fakes/unorganized.ts';

const summary: StoredSummary = {
  id: '20260101-000000-aaaaaa',
  title: 'Sums',
  projectPath: null,
  project: null,
  workspace: null,
  parentId: null,
  groupId: null,
  branchOf: null,
  tree: null,
  createdAt: 1,
  lastAt: 2,
  status: 'running',
  isWaiting: false,
  isUnseen: false,
  turns: 1,
  steps: 1,
  actions: 0,
  costUsd: 0,
  ...unorganized,
  logBytes: 10,
  stateVersion: 1,
};

it('the list of sessions shows no killed session as running', () => {
  expect(toSessionSummary(summary, 'idle', {})).toMatchObject({ status: 'idle', lastReason: 'error' });
  expect(toSessionSummary(summary, 'running', {})).toMatchObject({ status: 'running', lastReason: 'running' });
  const asking = { ...summary, isWaiting: true };
  expect(toSessionSummary(asking, 'idle', {})).toMatchObject({ lastReason: 'waiting', isWaiting: true });
  expect(toSessionSummary(asking, 'running', {})).not.toHaveProperty('isWaiting');
  expect(toSessionSummary({ ...summary, status: 'done' }, 'idle', {})).toMatchObject({ lastReason: 'done' });
});

it('the list of sessions marks an end that nobody looked at, for two weeks', () => {
  const day = 24 * 60 * 60 * 1000;
  const ended = { ...summary, status: 'done', isUnseen: true } as const;
  expect(toSessionSummary(ended, 'idle', {}, 13 * day).isUnseen).toBe(true);
  expect(toSessionSummary(ended, 'idle', {}, 15 * day).isUnseen).toBeUndefined();
  expect(toSessionSummary(ended, 'running', {}, 2).isUnseen).toBeUndefined();
  // A killed program ended it, too.
  expect(toSessionSummary(summary, 'idle', {}, 2).isUnseen).toBe(true);
  expect(toSessionSummary({ ...ended, isWaiting: true }, 'idle', {}, 2).isUnseen).toBeUndefined();
});

it('the list of sessions says which comparison a run belongs to', () => {
  expect(toSessionSummary({ ...summary, groupId: 'c1' }, 'idle', {})).toMatchObject({ comparison: 'c1' });
  expect(toSessionSummary(summary, 'idle', {})).not.toHaveProperty('comparison');
});
