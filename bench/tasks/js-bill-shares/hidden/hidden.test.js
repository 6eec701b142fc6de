import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balances, splitBill } from './bill.js';

const group = (...heads) => heads.map((count, index) => ({ name: `p${index}`, heads: count }));

test('takes no cent too much', () => {
  assert.deepEqual(splitBill(200, group(1, 1, 1)), [67, 67, 66]);
  assert.deepEqual(splitBill(1999, group(1, 1, 1, 1)), [500, 500, 500, 499]);
});

test('gives the cents that are left over to the first, one each', () => {
  assert.deepEqual(splitBill(1002, group(1, 1, 1, 1)), [251, 251, 250, 250]);
  assert.deepEqual(splitBill(2, group(1, 1, 1)), [1, 1, 0]);
});

test('does so for families too', () => {
  assert.deepEqual(splitBill(1000, group(2, 1, 1, 3)), [286, 143, 143, 428]);
  assert.deepEqual(splitBill(100, group(1, 2)), [34, 66]);
  assert.deepEqual(splitBill(102, group(2, 1, 1, 3)), [30, 15, 14, 43]);
  assert.deepEqual(splitBill(1002, group(1, 1, 3)), [201, 200, 601]);
});

test('every total is shared out whole', () => {
  const people = group(1, 3, 2, 1, 1);
  for (let total = 0; total < 300; total += 1) {
    const shares = splitBill(total, people);
    assert.equal(shares.length, 5);
    assert.equal(shares.reduce((sum, share) => sum + share, 0), total);
  }
});

test('balances of a whole trip add up to nothing', () => {
  const people = [{ name: 'Ada' }, { name: 'Ben' }, { name: 'Cleo', heads: 4 }];
  const expenses = [
    { paidBy: 'Ada', cents: 1000 },
    { paidBy: 'Cleo', cents: 199 },
    { paidBy: 'Ada', cents: 4 },
  ];
  const result = balances(expenses, people);
  assert.equal(result.Ada + result.Ben + result.Cleo, 0);
  assert.deepEqual(result, { Ada: 1004 - 167 - 34 - 1, Ben: -167 - 33 - 1, Cleo: 199 - 666 - 132 - 2 });
});
