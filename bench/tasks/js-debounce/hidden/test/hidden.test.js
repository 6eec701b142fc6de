import assert from 'node:assert/strict';
import { test } from 'node:test';
import { debounce } from '../src/debounce.js';

test('waits the full time after each call', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen = [];
  const save = debounce((...args) => seen.push(args), 50);
  save(1, 'a');
  t.mock.timers.tick(49);
  save(2, 'b');
  t.mock.timers.tick(49);
  assert.deepEqual(seen, []);
  t.mock.timers.tick(1);
  assert.deepEqual(seen, [[2, 'b']]);
});

test('works again after it fired', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let count = 0;
  const save = debounce(() => count++, 50);
  save();
  t.mock.timers.tick(50);
  save();
  save();
  t.mock.timers.tick(50);
  assert.equal(count, 2);
});

test('cancel after several calls leaves nothing', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let count = 0;
  const save = debounce(() => count++, 50);
  save();
  save();
  save.cancel();
  t.mock.timers.tick(500);
  assert.equal(count, 0);
});

test('two debounced functions do not disturb each other', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen = [];
  const a = debounce(() => seen.push('a'), 10);
  const b = debounce(() => seen.push('b'), 10);
  a();
  b();
  t.mock.timers.tick(10);
  assert.deepEqual(seen, ['a', 'b']);
});
