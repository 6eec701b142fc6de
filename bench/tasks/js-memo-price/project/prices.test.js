'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { memoize } = require('./memoize.js');

const RATES = { EUR: 1, USD: 2, CHF: 3 };

function counted() {
  const calls = [];
  const price = memoize((article, currency) => {
    calls.push(`${article} ${currency}`);
    return article.length * RATES[currency];
  });
  return { calls, price };
}

test('asks once for the same price', () => {
  const { calls, price } = counted();
  assert.equal(price('lamp', 'EUR'), 4);
  assert.equal(price('lamp', 'EUR'), 4);
  assert.deepEqual(calls, ['lamp EUR']);
});

test('each currency has its price', () => {
  const { price } = counted();
  assert.equal(price('lamp', 'EUR'), 4);
  assert.equal(price('lamp', 'USD'), 8);
  assert.equal(price('lamp', 'EUR'), 4);
});

test('clear forgets', () => {
  const { calls, price } = counted();
  price('mug', 'EUR');
  price.clear();
  price('mug', 'EUR');
  assert.equal(calls.length, 2);
});
