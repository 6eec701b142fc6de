import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balances, formatCents, splitBill } from './bill.js';

const ada = { name: 'Ada' };
const ben = { name: 'Ben' };
const cleo = { name: 'Cleo' };

test('splits evenly', () => {
  assert.deepEqual(splitBill(900, [ada, ben, cleo]), [300, 300, 300]);
});

test('a family pays for its heads', () => {
  assert.deepEqual(splitBill(1000, [ada, { name: 'The Millers', heads: 4 }]), [200, 800]);
});

test('loses no cent', () => {
  assert.deepEqual(splitBill(1000, [ada, ben, cleo]), [334, 333, 333]);
});

test('balances add up to nothing', () => {
  const result = balances([{ paidBy: 'Ben', cents: 1000 }], [ada, ben, cleo]);
  assert.deepEqual(result, { Ada: -334, Ben: 667, Cleo: -333 });
});

test('shows amounts', () => {
  assert.equal(formatCents(-1205), '-12.05');
  assert.equal(formatCents(7), '0.07');
});
