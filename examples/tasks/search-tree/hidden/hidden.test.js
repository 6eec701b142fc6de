import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tree } from './tree.js';

test('is right', () => {
  const tree = new Tree();
  for (const value of [5, 2, 8, 2, 9, 1]) tree.insert(value);
  assert.deepEqual([...tree.values()], [1, 2, 5, 8, 9]);
  assert.equal(tree.has(8), true);
  assert.equal(tree.has(7), false);
});
