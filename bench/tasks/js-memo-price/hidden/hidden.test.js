'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { memoize } = require('./memoize.js');

const differ = [
  [['a,b', 'c'], ['a', 'b,c']],
  [['a', 'b'], ['a b']],
  [['a|b'], ['a', 'b']],
  [[1], ['1']],
  [[true], ['true']],
  [['a', ''], ['a']],
  [['ab', 'c'], ['a', 'bc']],
  [['a', 'b'], ['b', 'a']],
  [[], ['']],
];

for (const [left, right] of differ) {
  test(`${JSON.stringify(left)} is not ${JSON.stringify(right)}`, () => {
    const list = memoize((...args) => args);
    assert.deepEqual(list(...left), left);
    assert.deepEqual(list(...right), right);
    assert.equal(list(...left), list(...left));
    assert.equal(list(...right), list(...right));
  });
}

test('keeps so many results and no more', () => {
  const calls = [];
  const add = memoize((a, b) => calls.push([a, b]), { size: 2 });
  add(1, 1);
  add(1, 2);
  add(1, 3);
  add(1, 2);
  add(1, 3);
  assert.equal(calls.length, 3);
  add(1, 1);
  assert.equal(calls.length, 4);
});

test('remembers undefined, forgets errors', () => {
  let calls = 0;
  const nothing = memoize(() => void (calls += 1));
  nothing('a', 'b');
  nothing('a', 'b');
  assert.equal(calls, 1);
  const bad = memoize(() => {
    calls += 1;
    throw new Error('bad');
  });
  assert.throws(() => bad(1, 2), /bad/);
  assert.throws(() => bad(1, 2), /bad/);
  assert.equal(calls, 3);
});
