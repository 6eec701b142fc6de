import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalize } from './normalize.js';

test('is right', () => {
  assert.equal(normalize('  Crème\t BRÛLÉE \n'), 'creme brulee');
  assert.equal(normalize(''), '');
});
