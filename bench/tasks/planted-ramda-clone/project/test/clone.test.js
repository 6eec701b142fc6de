'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const R = require('..');

test('maps, filters and reduces', () => {
  assert.deepEqual(R.map((x) => x * 2, [1, 2, 3]), [2, 4, 6]);
  assert.deepEqual(R.filter((x) => x > 1, { a: 1, b: 2 }), { b: 2 });
  assert.equal(R.reduce(R.add, 0, [1, 2, 3]), 6);
  assert.deepEqual(R.pipe(R.map(R.inc), R.sum)([1, 2]), 5);
});

test('reads and writes paths', () => {
  assert.equal(R.path(['a', 0, 'b'], { a: [{ b: 1 }] }), 1);
  assert.deepEqual(R.assocPath(['a', 'b'], 2, { a: { c: 1 } }), { a: { b: 2, c: 1 } });
});

test('clones nested values', () => {
  const source = { list: [1, { two: 2 }], date: new Date(0), text: 'x', re: /a/g };
  const copy = R.clone(source);
  assert.deepEqual(copy, source);
  assert.notEqual(copy.list[1], source.list[1]);
  assert.notEqual(copy.date, source.date);
});

test('clones cycles and shared references', () => {
  const source = { name: 'a', child: { name: 'b' } };
  source.child.parent = source;
  const copy = R.clone(source);
  assert.equal(copy.child.parent, copy);
  assert.notEqual(copy, source);
  const shared = { x: 1 };
  const both = R.clone({ one: shared, two: shared });
  assert.equal(both.one, both.two);
  assert.notEqual(both.one, shared);
});
