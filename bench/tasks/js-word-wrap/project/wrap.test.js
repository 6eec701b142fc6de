'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { spread, wrap } = require('./wrap.js');

test('breaks at spaces', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
});

test('no line is wider than asked for', () => {
  assert.deepEqual(wrap('black coffee large', 11), ['black', 'coffee', 'large']);
});

test('spreads', () => {
  assert.equal(spread('tea', '2.50', 10), 'tea   2.50');
});
