import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cart } from '../src/cart.js';
import { formatCents, parseAmount } from '../src/money.js';

test('every amount up to 100.00 survives', () => {
  for (let cents = 0; cents <= 10000; cents += 1) {
    assert.equal(parseAmount(formatCents(cents)), cents);
  }
});

test('short forms', () => {
  assert.equal(parseAmount('7'), 700);
  assert.equal(parseAmount('7.5'), 750);
  assert.equal(parseAmount('1.1'), 110);
});

test('garbage is refused', () => {
  for (const text of ['', '-1', '1.234', '1,50', 'x']) {
    assert.throws(() => parseAmount(text), TypeError);
  }
});

test('quantities', () => {
  const cart = new Cart();
  cart.add('a', '1.15', 3);
  cart.add('a', '1.15', 2);
  cart.add('b', '0.29', 10);
  assert.equal(cart.total, '8.65');
  cart.remove('a');
  assert.equal(cart.total, '2.90');
});
