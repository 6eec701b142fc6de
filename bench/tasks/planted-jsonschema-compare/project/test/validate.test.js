'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { validate, Validator } = require('..');

const valid = (instance, schema) => validate(instance, schema).valid;

test('checks types and limits', () => {
  assert.equal(valid(4, { type: 'number', minimum: 3 }), true);
  assert.equal(valid(2, { type: 'number', minimum: 3 }), false);
  assert.equal(valid('abc', { type: 'string', maxLength: 2 }), false);
  assert.equal(valid(0.3, { multipleOf: 0.1 }), true);
});

test('checks properties', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
  assert.equal(valid({ a: 1 }, schema), true);
  assert.equal(valid({}, schema), false);
  assert.equal(valid({ a: 1, b: 2 }, schema), false);
  assert.match(validate({ a: 'x' }, schema).errors[0].stack, /instance\.a is not of a type/);
});

test('follows references', () => {
  const validator = new Validator();
  validator.addSchema({ id: '/Name', type: 'string' }, '/Name');
  assert.equal(validator.validate({ n: 'x' }, { properties: { n: { $ref: '/Name' } } }).valid, true);
  assert.equal(validator.validate({ n: 1 }, { properties: { n: { $ref: '/Name' } } }).valid, false);
});

test('compares values in depth', () => {
  assert.equal(valid({ x: 1, y: [2] }, { const: { x: 1, y: [2] } }), true);
  assert.equal(valid({ y: [2], x: 1 }, { const: { x: 1, y: [2] } }), true);
  assert.equal(valid({ b: 2, a: 1 }, { enum: [null, { a: 1, b: 2 }] }), true);
  assert.equal(valid({ b: 2, a: 2 }, { enum: [null, { a: 1, b: 2 }] }), false);
  assert.equal(valid([{ a: 1, b: 2 }, { b: 2, a: 1 }], { uniqueItems: true }), false);
});
