import assert from 'node:assert/strict';
import { test } from 'node:test';
import { debounce } from '../src/debounce.js';

test('calls once after the last key stroke', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen = [];
  const search = debounce((text) => seen.push(text), 200);
  search('d');
  t.mock.timers.tick(100);
  search('de');
  t.mock.timers.tick(100);
  search('dew');
  t.mock.timers.tick(200);
  assert.deepEqual(seen, ['dew']);
});

test('cancel drops the waiting call', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen = [];
  const search = debounce((text) => seen.push(text), 200);
  search('d');
  search.cancel();
  t.mock.timers.tick(500);
  assert.deepEqual(seen, []);
});
