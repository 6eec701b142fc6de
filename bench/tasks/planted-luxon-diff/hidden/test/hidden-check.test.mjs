import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime } from '../src/luxon.js';

const utc = (...parts) => DateTime.utc(...parts);

test('a difference added to the start gives the end', () => {
  const units = ['years', 'months', 'weeks', 'days', 'hours'];
  for (let n = 0; n < 400; n++) {
    const start = utc(2019, 1, 1).plus({ days: (n * 37) % 900, hours: (n * 7) % 24 });
    const end = start.plus({ days: (n * 53) % 1200, hours: (n * 11) % 24 });
    const difference = end.diff(start, units);
    assert.equal(start.plus(difference).toISO(), end.toISO());
    for (const unit of units) assert.ok(difference.get(unit) >= 0, `${unit} of ${start} to ${end}`);
  }
});

test('fractions of the smallest unit', () => {
  assert.equal(utc(2017, 1, 31, 12).diff(utc(2017, 1, 30), 'days').days, 1.5);
  assert.equal(utc(2018, 1, 16).diff(utc(2017, 12, 1), 'months').months.toFixed(3), (1 + 15 / 31).toFixed(3));
  assert.equal(utc(2016, 7, 2).diff(utc(2015, 1, 1), 'years').years.toFixed(2), '1.50');
});

test('the other direction is the negative', () => {
  const a = utc(2024, 1, 31);
  const b = utc(2024, 3, 1);
  assert.deepEqual(b.diff(a, ['months', 'days']).toObject(), { months: 1, days: 1 });
  assert.deepEqual(a.diff(b, ['months', 'days']).toObject(), { months: -1, days: -1 });
});

test('across zones', () => {
  const start = DateTime.fromISO('2024-01-01T23:00:00', { zone: 'UTC+1' });
  const end = DateTime.fromISO('2024-01-03T01:00:00', { zone: 'UTC+9' });
  assert.deepEqual(end.diff(start, ['days', 'hours']).toObject(), { days: 0, hours: 18 });
});
