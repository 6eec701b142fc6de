'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { positive, required } = require('../lib/rules.js');
const { validate } = require('../lib/validate.js');

const schema = {
  customer: { name: [required] },
  lines: { each: { price: [required, positive] } },
};

test('a good order has no errors', () => {
  assert.deepEqual(validate(schema, { customer: { name: 'Ada' }, lines: [{ price: 1 }] }), []);
});

test('names the field', () => {
  assert.deepEqual(validate(schema, { lines: [] }), [
    { path: 'customer.name', message: 'is required' },
  ]);
});

test('names the entry of a list', () => {
  const order = { customer: { name: 'Ada' }, lines: [{ price: -1 }, { price: 2 }, {}] };
  assert.deepEqual(validate(schema, order), [
    { path: 'lines[0].price', message: 'must be positive' },
    { path: 'lines[2].price', message: 'is required' },
  ]);
});
