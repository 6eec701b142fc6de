import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter } from '../src/limiter.js';

function setup() {
  const time = { now: 1_000 };
  const limiter = createLimiter({ burst: 3, perSecond: 1, clock: () => time.now });
  const passed = (client, count) =>
    Array.from({ length: count }, () => limiter.allow(client)).filter(Boolean).length;
  return { time, passed };
}

test('lets a burst pass, then one a second', () => {
  const { time, passed } = setup();
  assert.equal(passed('a', 10), 3);
  time.now += 2_000;
  assert.equal(passed('a', 10), 2);
});

test('a long pause does not allow more than a burst', () => {
  const { time, passed } = setup();
  assert.equal(passed('a', 10), 3);
  time.now += 8 * 60 * 60 * 1_000;
  assert.equal(passed('a', 500), 3);
});
