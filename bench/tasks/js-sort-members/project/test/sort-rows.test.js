import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flip, sortRows } from '../src/sort-rows.js';

const names = (rows) => rows.map((row) => row.name);
const rows = [
  { name: 'cleo', points: 7 },
  { name: 'Abe', points: 12 },
  { name: 'dora', points: 3 },
  { name: 'Bert', points: 7 },
];

test('sorts upwards, without regard to case', () => {
  assert.deepEqual(names(sortRows(rows, 'name')), ['Abe', 'Bert', 'cleo', 'dora']);
});

test('sorts downwards', () => {
  assert.deepEqual(names(sortRows(rows, 'points', 'desc')), ['Abe', 'cleo', 'Bert', 'dora']);
});

test('flips', () => {
  assert.equal(flip('asc'), 'desc');
});
