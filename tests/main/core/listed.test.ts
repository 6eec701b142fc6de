import { expect, it } from 'vitest';
import { listedSession } from '../../../src/main/core/listed.ts';
import type { SessionSummary } from '../../../src/main/sessions/summary.ts';

const summary: SessionSummary = {
  id: '20260101-000000-aaaaaa',
  title: 'Sums',
  projectPath: null,
  workspace: null,
  parentId: null,
  groupId: null,
  createdAt: 1,
  lastAt: 2,
  status: 'running',
  turns: 1,
  steps: 1,
  actions: 0,
  costUsd: 0,
  logBytes: 10,
  stateVersion: 1,
};

it('a session whose process was killed is not listed as one that runs', () => {
  expect(listedSession(summary, 'idle')).toMatchObject({ status: 'idle', lastReason: 'error' });
  expect(listedSession(summary, 'running')).toMatchObject({ status: 'running', lastReason: 'running' });
  expect(listedSession({ ...summary, status: 'done' }, 'idle')).toMatchObject({ lastReason: 'done' });
});
