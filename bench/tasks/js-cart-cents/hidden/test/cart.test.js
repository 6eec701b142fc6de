import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cart } from '../src/cart.js';

test('adds up', () => {
  const cart = new Cart();
  cart.add('tea', '4.50', 2);
  cart.add('cup', '8.25');
  assert.equal(cart.total, '17.25');
  assert.equal(cart.count, 3);
});

test('does not lose a cent', () => {
  const cart = new Cart();
  cart.add('book', '19.99');
  assert.equal(cart.total, '19.99');
});
