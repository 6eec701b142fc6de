'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Emitter } = require('./emitter.js');

test('listeners run in order', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.on('save', (name) => seen.push(`a ${name}`));
  emitter.on('save', (name) => seen.push(`b ${name}`));
  assert.equal(emitter.emit('save', 'x'), 2);
  assert.deepEqual(seen, ['a x', 'b x']);
});

test('a once listener does not hide the next one', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.once('open', () => seen.push('first'));
  emitter.on('open', () => seen.push('second'));
  emitter.emit('open');
  emitter.emit('open');
  assert.deepEqual(seen, ['first', 'second', 'second']);
});
