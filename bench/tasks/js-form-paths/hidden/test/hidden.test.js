'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { formatPath } = require('../lib/path.js');
const { maxLength, required } = require('../lib/rules.js');
const { validate } = require('../lib/validate.js');

test('paths', () => {
  assert.equal(formatPath(['a', 0, 'b', 12, 3]), 'a[0].b[12][3]');
  assert.equal(formatPath([0, 'a']), '[0].a');
  assert.equal(formatPath(['a']), 'a');
  assert.equal(formatPath([]), '');
});

test('a field whose name is a number is still a name', () => {
  assert.deepEqual(validate({ years: { 2024: [required] } }, {}), [
    { path: 'years.2024', message: 'is required' },
  ]);
});

test('lists of plain values and lists in lists', () => {
  assert.deepEqual(validate({ tags: { each: [maxLength(3)] } }, { tags: ['ok', 'long'] }), [
    { path: 'tags[1]', message: 'is longer than 3' },
  ]);
  assert.deepEqual(validate({ each: { each: [required] } }, [['a'], ['b', '']]), [
    { path: '[1][1]', message: 'is required' },
  ]);
});
