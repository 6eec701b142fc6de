'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const R = require('..');

test('keeps the shape of an array that holds itself', () => {
  const source = [1];
  source.push(source, [source]);
  const copy = R.clone(source);
  assert.equal(copy[1], copy);
  assert.equal(copy[2][0], copy);
  assert.notEqual(copy, source);
});

test('keeps sharing in depth', () => {
  const leaf = { v: [1] };
  const source = { a: { b: { leaf } }, c: [leaf, { leaf }] };
  const copy = R.clone(source);
  assert.equal(copy.a.b.leaf, copy.c[0]);
  assert.equal(copy.c[0], copy.c[1].leaf);
  assert.notEqual(copy.c[0], leaf);
  assert.notEqual(copy.c[0].v, leaf.v);
});

test('keeps prototypes', () => {
  class Point {
    constructor(x) {
      this.x = x;
      this.self = this;
    }
  }
  const copy = R.clone(new Point(3));
  assert.ok(copy instanceof Point);
  assert.equal(copy.self, copy);
});

test('many objects in a ring', () => {
  const ring = Array.from({ length: 250 }, (_, n) => ({ n }));
  ring.forEach((item, n) => (item.next = ring[(n + 1) % ring.length]));
  const copy = R.clone(ring[0]);
  let at = copy;
  for (let n = 0; n < 250; n++) at = at.next;
  assert.equal(at, copy);
});

test('two calls do not share what they copied', () => {
  const source = { inner: {} };
  assert.notEqual(R.clone(source).inner, R.clone(source).inner);
});
