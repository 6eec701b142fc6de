import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column } from '../src/columns.js';
import { renderTable } from '../src/table.js';

const rows = [
  { item: 'Green tea', price: 4.5 },
  { item: 'Pot', price: 129 },
];
const euros = (value) => value.toFixed(2);

test('a table', () => {
  assert.equal(
    renderTable([{ key: 'item', title: 'Item' }, { key: 'price' }], rows),
    ['Item       price', '---------  -----', 'Green tea  4.5', 'Pot        129'].join('\n'),
  );
});

test('amounts at the right', () => {
  assert.equal(
    renderTable([{ key: 'item', title: 'Item' }, { key: 'price', title: 'EUR', format: euros, align: 'right' }], rows),
    ['Item          EUR', '---------  ------', 'Green tea    4.50', 'Pot        129.00'].join('\n'),
  );
});

test('unknown words are refused', () => {
  assert.throws(() => column({ key: 'price', align: 'top' }), RangeError);
});

test('a column needs a key', () => {
  assert.throws(() => column({ title: 'x' }), TypeError);
});
