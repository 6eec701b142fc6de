import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runJobs } from '../src/queue.js';

function flaky(name, failures) {
  let calls = 0;
  return {
    name,
    run: async () => {
      calls += 1;
      if (calls <= failures) throw new Error('not yet');
    },
  };
}

test('reports what became of the jobs', async () => {
  const outcomes = await runJobs([flaky('a', 0), flaky('b', 9)], { sleep: async () => {} });
  assert.deepEqual(outcomes, [
    { name: 'a', status: 'done', attempts: 1 },
    { name: 'b', status: 'failed', attempts: 3 },
  ]);
});

test('waits longer each time', async () => {
  const waits = [];
  const sleep = async (ms) => void waits.push(ms);
  await runJobs([flaky('a', 3)], { maxAttempts: 4, sleep });
  assert.deepEqual(waits, [100, 200, 400]);
});
