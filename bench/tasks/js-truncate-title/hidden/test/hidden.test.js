import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capitalize, initials, truncate } from '../src/text.js';

test('text that fits is left alone', () => {
  assert.equal(truncate('hello', 5), 'hello');
  assert.equal(truncate('', 3), '');
});

test('the ellipsis counts', () => {
  assert.equal(truncate('hello world', 8), 'hello w…');
  assert.equal(truncate('abcdef', 5), 'abcd…');
});

test('white space before the ellipsis goes', () => {
  assert.equal(truncate('hello world', 7), 'hello…');
});

test('no result is longer than the limit', () => {
  const text = 'The quick brown fox jumps over the lazy dog';
  for (let limit = 1; limit <= text.length; limit += 1) {
    const short = truncate(text, limit);
    assert.ok(short.length <= limit, `${limit}: ${short}`);
  }
});

test('the other helpers work as before', () => {
  assert.equal(capitalize('ab'), 'Ab');
  assert.equal(initials(' ada  king lovelace'), 'AK');
});
