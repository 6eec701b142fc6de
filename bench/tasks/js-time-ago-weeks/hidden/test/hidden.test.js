import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAgo } from '../src/time-ago.js';

const now = new Date('2024-06-30T12:00:00Z');
const DAY = 24 * 60 * 60 * 1000;
const ago = (ms) => timeAgo(new Date(now.getTime() - ms), now);

const cases = [
  [0, 'just now'],
  [DAY / 24, '1 hour ago'],
  [DAY, '1 day ago'],
  [6 * DAY, '6 days ago'],
  [7 * DAY - 1, '6 days ago'],
  [13 * DAY, '1 week ago'],
  [14 * DAY, '2 weeks ago'],
  [29 * DAY, '4 weeks ago'],
  [30 * DAY - 1, '4 weeks ago'],
  [30 * DAY, '1 month ago'],
  [200 * DAY, '6 months ago'],
];

for (const [ms, text] of cases) {
  test(`${ms} ms is ${text}`, () => assert.equal(ago(ms), text));
}
