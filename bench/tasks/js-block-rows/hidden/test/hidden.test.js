import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearRows, parseBoard, showBoard } from '../src/board.js';

test('removes four rows at once', () => {
  const result = clearRows(parseBoard(['...', 'x..', 'xxx', 'xxx', 'xxx', 'xxx']));
  assert.deepEqual(showBoard(result.board), ['...', '...', '...', '...', '...', 'x..']);
  assert.equal(result.cleared, 4);
  assert.equal(result.points, 800);
});

test('removes three rows that lie above others', () => {
  const result = clearRows(parseBoard(['.x.', 'xxx', 'xxx', 'xxx', 'xx.', 'x.x']));
  assert.deepEqual(showBoard(result.board), ['...', '...', '...', '.x.', 'xx.', 'x.x']);
  assert.equal(result.points, 500);
});

test('removes rows with another one between them', () => {
  const result = clearRows(parseBoard(['x..', 'xxx', '.x.', 'xxx', 'xxx']));
  assert.deepEqual(showBoard(result.board), ['...', '...', '...', 'x..', '.x.']);
  assert.equal(result.points, 500);
});

test('leaves rows with a hole and the given board alone', () => {
  const lines = ['xx.', 'xxx', 'xxx', '.xx'];
  const board = parseBoard(lines);
  const result = clearRows(board);
  assert.deepEqual(showBoard(board), lines);
  assert.deepEqual(showBoard(result.board), ['...', '...', 'xx.', '.xx']);
  assert.deepEqual(showBoard(clearRows(result.board).board), ['...', '...', 'xx.', '.xx']);
});

test('gives no points without a full row', () => {
  const result = clearRows(parseBoard(['x.', '.x']));
  assert.equal(result.cleared, 0);
  assert.equal(result.points, 0);
});

test('clears a board that is full', () => {
  const result = clearRows(parseBoard(['xx', 'xx', 'xx']));
  assert.deepEqual(showBoard(result.board), ['..', '..', '..']);
  assert.equal(result.cleared, 3);
});
