import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitAfter } from '../src/backoff.js';
import { runJobs } from '../src/queue.js';

test('doubles from the base', () => {
  assert.deepEqual([1, 2, 3, 4].map((n) => waitAfter(n)), [100, 200, 400, 800]);
  assert.deepEqual([1, 2, 3].map((n) => waitAfter(n, { base: 7 })), [7, 14, 28]);
});

test('stops growing at the maximum', () => {
  assert.deepEqual([1, 2, 3, 50].map((n) => waitAfter(n, { base: 100, max: 250 })), [100, 200, 250, 250]);
  assert.equal(waitAfter(8), 10_000);
  assert.equal(waitAfter(7), 6_400);
});

test('every job starts with the short wait', async () => {
  const waits = [];
  const bad = { name: 'bad', run: async () => { throw new Error('x'); } };
  await runJobs([bad, bad], { maxAttempts: 3, backoff: { base: 5 }, sleep: async (ms) => void waits.push(ms) });
  assert.deepEqual(waits, [5, 10, 5, 10]);
});

test('no wait for a single attempt', async () => {
  const waits = [];
  const bad = { name: 'bad', run: async () => { throw new Error('x'); } };
  await runJobs([bad], { maxAttempts: 1, sleep: async (ms) => void waits.push(ms) });
  assert.deepEqual(waits, []);
});
