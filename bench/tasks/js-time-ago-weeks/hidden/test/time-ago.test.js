import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAgo } from '../src/time-ago.js';

const now = new Date('2024-06-30T12:00:00Z');
const daysAgo = (days) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000);

test('minutes, days and months', () => {
  assert.equal(timeAgo(new Date('2024-06-30T11:58:30Z'), now), '1 minute ago');
  assert.equal(timeAgo(daysAgo(2), now), '2 days ago');
  assert.equal(timeAgo(daysAgo(65), now), '2 months ago');
});

test('weeks', () => {
  assert.equal(timeAgo(daysAgo(7), now), '1 week ago');
  assert.equal(timeAgo(daysAgo(23), now), '3 weeks ago');
});
