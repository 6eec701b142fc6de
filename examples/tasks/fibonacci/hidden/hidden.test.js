import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fibonacci } from './fibonacci.js';

test('is right', () => {
  assert.deepEqual([0, 1, 2, 3, 10].map(fibonacci), [0, 1, 1, 2, 55]);
  assert.equal(fibonacci(70), 190392490709135);
});
