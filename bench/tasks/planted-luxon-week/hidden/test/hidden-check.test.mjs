import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime } from '../src/luxon.js';
import { gregorianToWeek, weekToGregorian } from '../src/impl/conversions.js';

test('prints the week date of the last days of December', () => {
  const texts = { '2018-12-31': '2019-W01-1', '2019-12-29': '2019-W52-7', '2019-12-30': '2020-W01-1', '2020-12-31': '2020-W53-4', '2025-12-31': '2026-W01-3' };
  for (const [date, week] of Object.entries(texts)) {
    assert.equal(DateTime.fromISO(date, { zone: 'utc' }).toISOWeekDate(), week);
  }
});

test('a week date goes there and back for every day of many years', () => {
  for (let day = DateTime.utc(1995, 1, 1); day.year < 2031; day = day.plus({ days: 1 })) {
    if (day.month > 1 && day.month < 12) continue;
    const week = gregorianToWeek(day.toObject());
    assert.ok(week.weekNumber >= 1 && week.weekNumber <= day.set({ month: 6 }).weeksInWeekYear || week.weekYear !== day.year);
    assert.equal(DateTime.fromISO(day.toISOWeekDate(), { zone: 'utc' }).toISODate(), day.toISODate());
    const { year, month, day: dayOfMonth } = weekToGregorian(week);
    assert.equal(DateTime.utc(year, 1, 1).plus({ months: month - 1, days: dayOfMonth - 1 }).toISODate(), day.toISODate());
  }
});

test('a week number is never larger than the weeks of its year', () => {
  for (let year = 1990; year < 2040; year++) {
    const last = DateTime.utc(year, 12, 31);
    assert.ok(last.weekNumber <= DateTime.utc(last.weekYear, 6, 1).weeksInWeekYear);
  }
});
