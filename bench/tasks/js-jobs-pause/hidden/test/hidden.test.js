import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scheduler } from '../src/scheduler.js';

function setup() {
  const time = { now: 0 };
  const ran = [];
  const scheduler = new Scheduler(() => time.now);
  scheduler.add('a', 100, () => ran.push(`a ${time.now}`));
  scheduler.add('b', 40, () => ran.push(`b ${time.now}`));
  const at = (now) => {
    time.now = now;
    return scheduler.tick();
  };
  return { at, ran, scheduler, time };
}

test('missed runs are not made up for', () => {
  const { at, scheduler, time } = setup();
  scheduler.remove('b');
  at(50);
  scheduler.pause('a');
  at(120);
  at(330);
  time.now = 350;
  scheduler.resume('a');
  assert.deepEqual(at(350), []);
  assert.deepEqual(at(399), []);
  assert.deepEqual(at(400), ['a']);
  assert.deepEqual(at(500), ['a']);
});

test('without a tick in between', () => {
  const { at, scheduler, time } = setup();
  scheduler.pause('a');
  time.now = 250;
  scheduler.resume('a');
  assert.equal(scheduler.list()[0].next, 300);
  assert.deepEqual(at(299).includes('a'), false);
  assert.deepEqual(at(300).includes('a'), true);
});

test('a short pause changes nothing', () => {
  const { at, scheduler, time } = setup();
  time.now = 10;
  scheduler.pause('a');
  time.now = 60;
  scheduler.resume('a');
  assert.equal(scheduler.list()[0].next, 100);
  assert.equal(at(100).includes('a'), true);
});

test('resume without a pause changes nothing', () => {
  const { at, scheduler, time } = setup();
  time.now = 130;
  scheduler.resume('a');
  assert.deepEqual(scheduler.list()[0], { name: 'a', next: 100, paused: false });
  assert.equal(at(130).includes('a'), true);
});

test('other jobs go on', () => {
  const { at, ran, scheduler } = setup();
  scheduler.pause('a');
  for (const now of [40, 80, 100, 120]) at(now);
  assert.deepEqual(ran, ['b 40', 'b 80', 'b 120']);
  assert.deepEqual(scheduler.list().map(({ name, paused }) => [name, paused]), [['a', true], ['b', false]]);
});

test('pausing twice', () => {
  const { at, scheduler } = setup();
  scheduler.pause('a');
  scheduler.pause('a');
  scheduler.resume('a');
  assert.equal(scheduler.list()[0].paused, false);
  assert.equal(at(100).includes('a'), true);
});

test('unknown names', () => {
  const { scheduler } = setup();
  assert.throws(() => scheduler.pause('x'), /no job x/);
  assert.throws(() => scheduler.resume('x'), /no job x/);
});
