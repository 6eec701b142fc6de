import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '../src/history.js';

test('nothing can be redone after a new state', () => {
  const history = new History('a');
  for (const state of ['b', 'c', 'd']) history.push(state);
  history.undo();
  history.undo();
  assert.equal(history.canRedo, true);
  history.push('e');
  assert.equal(history.canRedo, false);
  assert.equal(history.redo(), 'e');
  assert.equal(history.undo(), 'b');
  assert.equal(history.undo(), 'a');
  assert.equal(history.redo(), 'b');
  assert.equal(history.redo(), 'e');
  assert.equal(history.canRedo, false);
});

test('the state that is present already changes nothing', () => {
  const history = new History('a');
  history.push('b');
  history.undo();
  history.push('a');
  assert.equal(history.canUndo, false);
  assert.equal(history.canRedo, true);
  assert.equal(history.redo(), 'b');
});

test('undo and redo at the ends', () => {
  const history = new History('a');
  assert.equal(history.undo(), 'a');
  assert.equal(history.redo(), 'a');
  assert.deepEqual([history.canUndo, history.canRedo, history.present], [false, false, 'a']);
});

test('the limit holds after undo and redo', () => {
  const history = new History(0, { limit: 3 });
  for (let state = 1; state <= 10; state += 1) history.push(state);
  for (let count = 0; count < 5; count += 1) history.undo();
  assert.equal(history.present, 7);
  for (let count = 0; count < 5; count += 1) history.redo();
  assert.equal(history.present, 10);
});
