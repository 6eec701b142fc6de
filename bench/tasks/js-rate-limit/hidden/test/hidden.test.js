import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bucket } from '../src/bucket.js';
import { createLimiter } from '../src/limiter.js';

test('never more than the capacity, wherever it started from', () => {
  const bucket = new Bucket({ capacity: 5, perSecond: 2, now: 0 });
  assert.equal(bucket.take(0), true);
  let count = 0;
  while (bucket.take(60_000)) count += 1;
  assert.equal(count, 5);
});

test('an unused bucket stays at its capacity', () => {
  const bucket = new Bucket({ capacity: 2, perSecond: 10, now: 0 });
  const taken = [1, 2, 3].map(() => bucket.take(100_000));
  assert.deepEqual(taken, [true, true, false]);
});

test('parts of a token add up', () => {
  const bucket = new Bucket({ capacity: 1, perSecond: 1, now: 0 });
  bucket.take(0);
  assert.equal(bucket.take(500), false);
  assert.equal(bucket.take(1_000), true);
});

test('clients do not share', () => {
  const limiter = createLimiter({ burst: 1, perSecond: 1, clock: () => 0 });
  assert.deepEqual([limiter.allow('a'), limiter.allow('a'), limiter.allow('b')], [true, false, true]);
});
