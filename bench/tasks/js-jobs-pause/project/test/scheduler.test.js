import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scheduler } from '../src/scheduler.js';

function setup() {
  const time = { now: 0 };
  const scheduler = new Scheduler(() => time.now);
  scheduler.add('backup', 100, () => {});
  const at = (now) => {
    time.now = now;
    return scheduler.tick();
  };
  return { at, scheduler };
}

test('runs what is due', () => {
  const { at } = setup();
  assert.deepEqual(at(99), []);
  assert.deepEqual(at(100), ['backup']);
  assert.deepEqual(at(101), []);
});

test('runs once after a long sleep', () => {
  const { at } = setup();
  assert.deepEqual(at(550), ['backup']);
  assert.deepEqual(at(599), []);
  assert.deepEqual(at(600), ['backup']);
});

test('removes', () => {
  const { at, scheduler } = setup();
  scheduler.remove('backup');
  assert.deepEqual(at(100), []);
  assert.throws(() => scheduler.remove('backup'), /no job backup/);
});

test('a paused job does not run', () => {
  const { at, scheduler } = setup();
  scheduler.pause('backup');
  assert.deepEqual(at(100), []);
  assert.equal(scheduler.list()[0].paused, true);
});

test('a job goes on after resume', () => {
  const { at, scheduler } = setup();
  scheduler.pause('backup');
  scheduler.resume('backup');
  assert.deepEqual(at(100), ['backup']);
  assert.equal(scheduler.list()[0].paused, false);
});
