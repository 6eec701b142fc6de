import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, standings } from '../src/league.js';

const match = (home, away, ...goals) => ({ home, away, goals });
const teams = (rows) => rows.map(({ team }) => team);

test('orders differences as numbers', () => {
  const rows = standings([match('Ants', 'Cats', 9, 0), match('Bees', 'Dogs', 10, 0), match('Eels', 'Foxes', 2, 0)]);
  assert.deepEqual(teams(rows), ['Bees', 'Ants', 'Eels', 'Foxes', 'Cats', 'Dogs']);
  assert.deepEqual(rows.map(({ difference }) => difference), [10, 9, 2, -2, -9, -10]);
});

test('points go before the difference', () => {
  const rows = standings([match('Ants', 'Bees', 1, 0), match('Ants', 'Cats', 0, 9), match('Ants', 'Bees', 1, 0)]);
  assert.deepEqual(teams(rows), ['Ants', 'Cats', 'Bees']);
  assert.deepEqual(rows.map(({ difference }) => difference), [-7, 9, -2]);
});

test('the name decides when the difference is the same', () => {
  const rows = standings([match('Dogs', 'Cats', 3, 1), match('Ants', 'Bees', 2, 0)]);
  assert.deepEqual(teams(rows), ['Ants', 'Dogs', 'Bees', 'Cats']);
});

test('adds up home and away matches', () => {
  const rows = standings([match('Ants', 'Bees', 3, 1), match('Bees', 'Ants', 4, 0), match('Ants', 'Bees', 5, 5)]);
  assert.deepEqual(rows.map(({ team, difference }) => [team, difference]), [
    ['Bees', 2],
    ['Ants', -2],
  ]);
});

test('shows no sign for 0 and keeps long differences in the column', () => {
  const rows = standings([match('Ants', 'Bees', 1, 1), match('Cats', 'Dogs', 12, 0)]);
  assert.deepEqual(formatTable(rows).split('\n'), [
    'Team        P   W   D   L   GD  Pts',
    'Cats        1   1   0   0  +12    3',
    'Ants        1   0   1   0    0    1',
    'Bees        1   0   1   0    0    1',
    'Dogs        1   0   0   1  -12    0',
  ]);
});
