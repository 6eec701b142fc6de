import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalCents } from './src/cart.js';

const voucher = { percent: 15 };
test('rounds once, over all lines', () => {
  const lines = [{ priceCents: 33, count: 1 }, { priceCents: 33, count: 1 }, { priceCents: 33, count: 1 }];
  assert.equal(totalCents(lines, voucher), 84);
});
test('rounds in favor of the customer', () => assert.equal(totalCents([{ priceCents: 99, count: 1 }], voucher), 84));
test('takes nothing off what is free', () => {
  assert.equal(totalCents([{ priceCents: 1000, count: 3, offer: '3 for 2' }], { percent: 50 }), 1000);
});
test('leaves a cart without a voucher alone', () => assert.equal(totalCents([{ priceCents: 999, count: 3 }]), 2997));
