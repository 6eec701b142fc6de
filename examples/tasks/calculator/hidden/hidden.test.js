import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as calculator from './calculator.js';

test('is right', () => {
  assert.equal(calculator.add(2, 3), 5);
  assert.equal(calculator.subtract(2, 3), -1);
  assert.equal(calculator.multiply(2, 3), 6);
  assert.equal(calculator.divide(6, 3), 2);
  assert.throws(() => calculator.divide(1, 0), RangeError);
});
