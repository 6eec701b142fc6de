import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime, Duration, Interval } from '../src/luxon.js';

const utc = (...parts) => DateTime.utc(...parts);

test('creates and prints', () => {
  assert.equal(utc(2024, 2, 29, 13, 5).toISO(), '2024-02-29T13:05:00.000Z');
  assert.equal(DateTime.fromISO('2016-05-25T09:08:34.123', { zone: 'utc' }).millisecond, 123);
  assert.equal(utc(2024, 1, 31).plus({ months: 1 }).toISODate(), '2024-02-29');
  assert.equal(utc(2014, 8, 6).toFormat('yyyy LL dd'), '2014 08 06');
});

test('works with durations', () => {
  assert.equal(Duration.fromObject({ hours: 2, minutes: 90 }).as('hours'), 3.5);
  assert.equal(Duration.fromISO('PT2H30M').toMillis(), 9000000);
});

test('differences in one unit', () => {
  assert.equal(utc(2024, 3, 1).diff(utc(2024, 2, 1), 'days').days, 29);
  assert.equal(utc(2024, 3, 1).diff(utc(2024, 2, 1), 'months').months, 1);
  assert.equal(utc(2024, 3, 1, 12).diff(utc(2024, 3, 1), 'hours').hours, 12);
});

test('differences in several units', () => {
  assert.deepEqual(utc(2024, 3, 20).diff(utc(2024, 1, 15), ['months', 'days']).toObject(), { months: 2, days: 5 });
  assert.deepEqual(utc(2024, 3, 4).diff(utc(2024, 1, 15), ['months', 'days']).toObject(), { months: 1, days: 18 });
  assert.deepEqual(utc(2024, 3, 4, 6).diff(utc(2023, 1, 5, 12), ['years', 'months', 'days', 'hours']).toObject(), {
    years: 1, months: 1, days: 27, hours: 18,
  });
});

test('intervals count', () => {
  assert.equal(Interval.fromDateTimes(utc(2024, 1, 1), utc(2024, 1, 3)).length('days'), 2);
});
