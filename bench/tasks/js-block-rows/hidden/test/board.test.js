import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearRows, parseBoard, place, showBoard } from '../src/board.js';

test('places a piece', () => {
  const board = parseBoard(['....', 'x...']);
  assert.deepEqual(showBoard(place(board, ['x.', 'xx'], 2, 0)), ['..x.', 'x.xx']);
});

test('does not place a piece on top of blocks', () => {
  const board = parseBoard(['....', 'x...']);
  assert.equal(place(board, ['xx'], 0, 1), null);
  assert.equal(place(board, ['xx'], 3, 0), null);
});

test('removes a full row and lets the others fall', () => {
  const { board, points } = clearRows(parseBoard(['....', 'x...', 'xxxx', 'xx..']));
  assert.deepEqual(showBoard(board), ['....', '....', 'x...', 'xx..']);
  assert.equal(points, 100);
});

test('removes two rows at once', () => {
  const { board, points } = clearRows(parseBoard(['....', '.x..', 'xxxx', 'xxxx']));
  assert.deepEqual(showBoard(board), ['....', '....', '....', '.x..']);
  assert.equal(points, 300);
});
