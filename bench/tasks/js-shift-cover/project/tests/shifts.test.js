import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredHours, findGaps } from '../src/shifts.js';

const early = { who: 'Ada', from: '08:00', to: '12:00' };
const late = { who: 'Cleo', from: '13:30', to: '18:00' };

test('finds the gap over noon', () => {
  assert.deepEqual(findGaps([late, early], '08:00', '18:00'), ['12:00-13:30']);
});

test('finds gaps at both ends of the day', () => {
  assert.deepEqual(findGaps([early], '07:30', '13:00'), ['07:30-08:00', '12:00-13:00']);
});

test('shifts that touch or overlap leave no gap', () => {
  const middle = { who: 'Ben', from: '12:00', to: '14:00' };
  assert.deepEqual(findGaps([early, middle, late], '08:00', '18:00'), []);
});

test('a short shift within a long one leaves no gap', () => {
  const whole = { who: 'Ada', from: '08:00', to: '18:00' };
  const short = { who: 'Ben', from: '09:00', to: '12:00' };
  assert.deepEqual(findGaps([whole, short], '08:00', '18:00'), []);
});

test('counts hours once', () => {
  const middle = { who: 'Ben', from: '11:00', to: '13:00' };
  assert.equal(coveredHours([early, middle]), 5);
});
