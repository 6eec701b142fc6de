import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalCents } from '../src/cart.js';

test('adds up lines', () => assert.equal(totalCents([{ priceCents: 250, count: 2 }, { priceCents: 99, count: 1 }]), 599));
test('makes each third piece free', () => assert.equal(totalCents([{ priceCents: 100, count: 7, offer: '3 for 2' }]), 500));
test('takes a voucher off what is paid', () => {
  const lines = [{ priceCents: 333, count: 3, offer: '3 for 2' }];
  assert.equal(totalCents(lines, { percent: 10 }), 599);
});
