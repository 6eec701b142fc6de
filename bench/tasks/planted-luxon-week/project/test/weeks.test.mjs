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

test('knows the week of a date', () => {
  const week = (...parts) => [utc(...parts).weekYear, utc(...parts).weekNumber, utc(...parts).weekday];
  assert.deepEqual(week(2024, 6, 15), [2024, 24, 6]);
  assert.deepEqual(week(2021, 1, 1), [2020, 53, 5]);
  assert.deepEqual(week(2024, 12, 30), [2025, 1, 1]);
});

test('counts the weeks of a year', () => {
  assert.equal(utc(2020, 5, 5).weeksInWeekYear, 53);
  assert.equal(utc(2021, 5, 5).weeksInWeekYear, 52);
  assert.equal(Interval.fromDateTimes(utc(2021, 1, 4), utc(2021, 1, 18)).length('weeks'), 2);
});
