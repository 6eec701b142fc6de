import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tree } from './tree.js';

test('keeps its values in order', () => {
  const tree = new Tree();
  for (const value of [2, 1, 2]) tree.insert(value);
  assert.deepEqual([...tree.values()], [1, 2]);
});
