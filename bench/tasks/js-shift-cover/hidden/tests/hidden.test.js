import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredHours, findGaps } from '../src/shifts.js';

const shift = (from, to) => ({ who: 'somebody', from, to });

test('counts the hours of a long shift with short ones in it', () => {
  assert.equal(coveredHours([shift('08:00', '18:00'), shift('09:00', '12:00')]), 10);
  assert.equal(coveredHours([shift('09:00', '10:00'), shift('08:00', '16:30'), shift('11:00', '12:00')]), 8.5);
});

test('several short shifts within a long one leave no gap', () => {
  const shifts = [shift('13:00', '14:00'), shift('08:00', '18:00'), shift('09:00', '10:00'), shift('10:00', '11:00')];
  assert.deepEqual(findGaps(shifts, '08:00', '18:00'), []);
});

test('shifts that start at the same time leave no gap', () => {
  for (const shifts of [
    [shift('08:00', '16:00'), shift('08:00', '09:00')],
    [shift('08:00', '09:00'), shift('08:00', '16:00')],
  ]) {
    assert.deepEqual(findGaps(shifts, '08:00', '16:00'), []);
    assert.equal(coveredHours(shifts), 8);
  }
});

test('still finds the gap after a long shift with a short one in it', () => {
  const shifts = [shift('08:00', '12:00'), shift('09:00', '10:00'), shift('13:00', '18:00'), shift('14:00', '15:00')];
  assert.deepEqual(findGaps(shifts, '08:00', '19:00'), ['12:00-13:00', '18:00-19:00']);
  assert.equal(coveredHours(shifts), 9);
});

test('leaves the list of shifts as it was', () => {
  const shifts = [shift('13:00', '18:00'), shift('08:00', '18:00'), shift('09:00', '10:00')];
  const before = structuredClone(shifts);
  findGaps(shifts, '08:00', '18:00');
  coveredHours(shifts);
  assert.deepEqual(shifts, before);
});
