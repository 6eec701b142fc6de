import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, divide } from './calculator.js';

test('adds and divides', () => {
  assert.equal(add(1, 2), 3);
  assert.equal(divide(6, 3), 2);
});

test('does not divide by zero', () => {
  assert.throws(() => divide(1, 0), RangeError);
});
