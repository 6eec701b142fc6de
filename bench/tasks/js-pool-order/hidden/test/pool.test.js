import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runPool } from '../src/pool.js';

const after = (ms, value) => () => sleep(ms, value);

test('results are in the order of the tasks', async () => {
  const results = await runPool([after(30, 'a'), after(5, 'b'), after(10, 'c')], 2);
  assert.deepEqual(results, ['a', 'b', 'c']);
});

test('never runs more than the limit', async () => {
  let running = 0;
  let most = 0;
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(5);
    running -= 1;
  };
  await runPool([task, task, task, task, task], 2);
  assert.equal(most, 2);
});
