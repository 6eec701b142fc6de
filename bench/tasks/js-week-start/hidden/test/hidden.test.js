import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOfWeek, isSameWeek, startOfWeek } from '../src/week.js';

const week = ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08', '2024-03-09', '2024-03-10'];

for (const day of week) {
  test(`the week of ${day}`, () => {
    assert.equal(startOfWeek(day), '2024-03-04');
    assert.deepEqual(daysOfWeek(day), week);
  });
}

test('the next Monday is another week', () => {
  assert.equal(startOfWeek('2024-03-11'), '2024-03-11');
  assert.equal(isSameWeek('2024-03-10', '2024-03-11'), false);
  assert.equal(isSameWeek('2024-03-03', '2024-03-04'), false);
  assert.equal(isSameWeek('2024-03-10', '2024-03-04'), true);
});

test('across months and years', () => {
  assert.equal(startOfWeek('2023-01-01'), '2022-12-26');
  assert.equal(startOfWeek('2024-03-03'), '2024-02-26');
  assert.equal(startOfWeek('2024-12-31'), '2024-12-30');
});
