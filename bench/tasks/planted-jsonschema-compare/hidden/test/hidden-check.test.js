'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { validate } = require('..');
const { deepCompareStrict } = require('../lib/helpers');

const nested = (flip) => (flip ? { b: [{ d: 2, c: 1 }, null], a: { z: 1, y: 'x' } } : { a: { y: 'x', z: 1 }, b: [{ c: 1, d: 2 }, null] });

test('the order of keys does not count, at any depth', () => {
  assert.equal(deepCompareStrict(nested(true), nested(false)), true);
  assert.equal(validate([nested(true), nested(false)], { uniqueItems: true }).valid, false);
  assert.equal(validate(nested(true), { const: nested(false) }).valid, true);
});

test('the order of items counts', () => {
  assert.equal(deepCompareStrict([1, 2], [2, 1]), false);
  assert.equal(deepCompareStrict({ a: [1, 2] }, { a: [1, 2] }), true);
  assert.equal(deepCompareStrict([1, 2], [1, 2, 3]), false);
});

test('different things differ', () => {
  assert.equal(deepCompareStrict({ a: 1 }, { a: 1, b: 2 }), false);
  assert.equal(deepCompareStrict({ a: 1, b: 2 }, { a: 1, c: 2 }), false);
  assert.equal(deepCompareStrict([1], '1'), false);
  assert.equal(deepCompareStrict(null, {}), false);
  assert.equal(deepCompareStrict(null, null), true);
  assert.equal(deepCompareStrict({ n: NaN }, { n: null }), false);
  assert.equal(deepCompareStrict([undefined], [null]), false);
});
