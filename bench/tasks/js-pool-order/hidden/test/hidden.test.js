import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runPool } from '../src/pool.js';

test('order holds for many tasks and any limit', async () => {
  for (const limit of [1, 3, 20]) {
    const tasks = Array.from({ length: 9 }, (_, i) => () => sleep((9 - i) * 2, i));
    assert.deepEqual(await runPool(tasks, limit), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  }
});

test('undefined results keep their place', async () => {
  const results = await runPool([() => sleep(10, undefined), async () => 2], 2);
  assert.deepEqual(results, [undefined, 2]);
});

test('no tasks', async () => {
  assert.deepEqual(await runPool([], 3), []);
});

test('the first error rejects and nothing more is started', async () => {
  let started = 0;
  const bad = async () => {
    started += 1;
    throw new Error('bad');
  };
  await assert.rejects(runPool([bad, bad, bad], 1), /bad/);
  assert.equal(started, 1);
  await assert.rejects(runPool([], 0), RangeError);
});
