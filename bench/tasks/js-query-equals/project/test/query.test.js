import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../src/query.js';

test('parses names and values', () => {
  assert.deepEqual(parseQuery('?a=1&b=two+words'), { a: '1', b: 'two words' });
});

test('keeps "=" in a value', () => {
  assert.deepEqual(parseQuery('next=/a?b=c&x=1'), { next: '/a?b=c', x: '1' });
});

test('collects repeated names', () => {
  assert.deepEqual(parseQuery('tag=a&tag=b&tag=c'), { tag: ['a', 'b', 'c'] });
});
