import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flip, sortRows } from '../src/sort-rows.js';

const rows = [5, 1, 4, 1, 5, 9, 2, 6, 5, 3].map((value, id) => ({ id, value }));
const ids = (list) => list.map((row) => row.id);

test('is stable upwards', () => {
  assert.deepEqual(ids(sortRows(rows, 'value', 'asc')), [1, 3, 6, 9, 2, 0, 4, 8, 7, 5]);
});

test('is stable downwards', () => {
  assert.deepEqual(ids(sortRows(rows, 'value', 'desc')), [5, 7, 0, 4, 8, 2, 9, 6, 1, 3]);
});

test('numbers are compared as numbers', () => {
  const list = sortRows([{ v: 10 }, { v: 9 }, { v: -1 }], 'v');
  assert.deepEqual(list, [{ v: -1 }, { v: 9 }, { v: 10 }]);
});

test('the given rows stay in place', () => {
  sortRows(rows, 'value', 'desc');
  assert.deepEqual(ids(rows), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('case does not matter downwards', () => {
  const list = sortRows([{ n: 'b' }, { n: 'A' }, { n: 'C' }], 'n', 'desc');
  assert.deepEqual(list, [{ n: 'C' }, { n: 'b' }, { n: 'A' }]);
  assert.equal(flip('desc'), 'asc');
});
