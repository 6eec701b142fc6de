import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable, standings } from '../src/league.js';

const MATCHES = [
  { home: 'Reds', away: 'Blues', goals: [1, 0] },
  { home: 'Greens', away: 'Reds', goals: [2, 2] },
  { home: 'Blues', away: 'Greens', goals: [1, 4] },
];

test('counts matches and points', () => {
  const [first] = standings(MATCHES.slice(0, 1));
  assert.equal(first.team, 'Reds');
  assert.equal(first.played, 1);
  assert.equal(first.won, 1);
  assert.equal(first.points, 3);
});

test('orders by points', () => {
  const matches = [...MATCHES, { home: 'Reds', away: 'Greens', goals: [1, 0] }];
  assert.deepEqual(standings(matches).map(({ team }) => team), ['Reds', 'Greens', 'Blues']);
});

test('knows the goal difference and orders by it', () => {
  const rows = standings([...MATCHES].reverse());
  assert.deepEqual(
    rows.map(({ team, points, difference }) => [team, points, difference]),
    [
      ['Greens', 4, 3],
      ['Reds', 4, 1],
      ['Blues', 0, -4],
    ],
  );
});

test('shows a table', () => {
  assert.deepEqual(formatTable(standings(MATCHES)).split('\n'), [
    'Team        P   W   D   L   GD  Pts',
    'Greens      2   1   1   0   +3    4',
    'Reds        2   1   1   0   +1    4',
    'Blues       2   0   0   2   -4    0',
  ]);
});
