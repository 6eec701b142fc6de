import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '../src/history.js';

test('undo and redo', () => {
  const history = new History('empty');
  history.push('circle');
  history.push('square');
  assert.equal(history.undo(), 'circle');
  assert.equal(history.undo(), 'empty');
  assert.equal(history.redo(), 'circle');
  assert.equal(history.redo(), 'square');
});

test('forgets what is too old', () => {
  const history = new History(0, { limit: 2 });
  for (const state of [1, 2, 3]) history.push(state);
  history.undo();
  assert.equal(history.undo(), 1);
  assert.equal(history.canUndo, false);
});

test('drawing after an undo', () => {
  const history = new History('empty');
  history.push('circle');
  history.undo();
  history.push('star');
  assert.equal(history.redo(), 'star');
});
