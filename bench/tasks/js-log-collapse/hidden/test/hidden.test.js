import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLog, renderLog } from '../src/log-view.js';

const FULL = ['12:00:01 error disk full', '12:00:02 error disk full', '12:00:07 error disk full'].join('\n');

test('is off by default', () => {
  const lines = ['12:00:01 ERROR disk full', '12:00:02 ERROR disk full', '12:00:07 ERROR disk full'];
  assert.equal(renderLog(parseLog(FULL)), lines.join('\n'));
  assert.equal(renderLog(parseLog(FULL), { collapse: false, minLevel: 'warn' }), lines.join('\n'));
});

test('makes one line of a run', () => {
  assert.equal(renderLog(parseLog(FULL), { collapse: true }), '12:00:01 ERROR disk full (x3)');
});

test('only what follows directly, with the same level and message', () => {
  const log = [
    '12:00:01 info ping',
    '12:00:02 info pong',
    '12:00:03 info ping',
    '12:00:04 info ping',
    '12:00:05 warn ping',
    '12:00:06 warn ping',
  ].join('\n');
  assert.deepEqual(renderLog(parseLog(log), { collapse: true }).split('\n'), [
    '12:00:01 INFO  ping',
    '12:00:02 INFO  pong',
    '12:00:03 INFO  ping (x2)',
    '12:00:05 WARN  ping (x2)',
  ]);
});

test('hidden entries do not interrupt a run', () => {
  const log = [
    '12:00:01 error disk full',
    '12:00:02 debug retry',
    '12:00:03 error disk full',
    '12:00:04 warn slow',
    '12:00:05 debug retry',
    '12:00:06 debug retry',
  ].join('\n');
  assert.deepEqual(renderLog(parseLog(log), { minLevel: 'warn', collapse: true }).split('\n'), [
    '12:00:01 ERROR disk full (x2)',
    '12:00:04 WARN  slow',
  ]);
  assert.deepEqual(renderLog(parseLog(log), { collapse: true }).split('\n'), [
    '12:00:01 ERROR disk full',
    '12:00:02 DEBUG retry',
    '12:00:03 ERROR disk full',
    '12:00:04 WARN  slow',
    '12:00:05 DEBUG retry (x2)',
  ]);
});

test('leaves the entries as they were and can be asked again', () => {
  const entries = parseLog(FULL);
  const before = structuredClone(entries);
  const first = renderLog(entries, { collapse: true });
  assert.deepEqual(entries, before);
  assert.equal(renderLog(entries, { collapse: true }), first);
  assert.equal(renderLog([], { collapse: true }), '');
});
