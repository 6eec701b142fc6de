import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLine } from '../src/parse-line.js';
import { report, trafficByDay } from '../src/report.js';

const line = (day, status, size) =>
  `h - - [${day}:10:00:00 +0000] "HEAD /x HTTP/1.1" ${status} ${size}`;

test('a dash is zero bytes', () => {
  assert.deepEqual(parseLine(line('02/Mar/2024', 204, '-')), {
    host: 'h',
    day: '02/Mar/2024',
    method: 'HEAD',
    path: '/x',
    status: 204,
    size: 0,
  });
});

test('sizes are numbers', () => {
  assert.equal(parseLine(line('02/Mar/2024', 200, '0')).size, 0);
  assert.equal(parseLine(line('02/Mar/2024', 200, '1234')).size, 1234);
});

test('a day with nothing but dashes', () => {
  const log = [line('a', 304, '-'), line('b', 200, '7'), line('a', 304, '-')].join('\n');
  assert.deepEqual([...trafficByDay(log)], [
    ['a', { requests: 2, bytes: 0 }],
    ['b', { requests: 1, bytes: 7 }],
  ]);
});

test('other lines are skipped', () => {
  assert.equal(parseLine('hello'), null);
  assert.equal(parseLine(line('a', 200, 'x')), null);
  assert.equal(report('\n\n'), '');
});
