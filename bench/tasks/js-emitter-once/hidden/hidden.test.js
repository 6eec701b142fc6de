'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Emitter } = require('./emitter.js');

test('several once listeners all run, once', () => {
  const emitter = new Emitter();
  const seen = [];
  for (const name of ['a', 'b', 'c']) emitter.once('go', () => seen.push(name));
  assert.equal(emitter.emit('go'), 3);
  assert.equal(emitter.emit('go'), 0);
  assert.deepEqual(seen, ['a', 'b', 'c']);
});

test('a listener added while emitting waits for the next emit', () => {
  const emitter = new Emitter();
  let late = 0;
  emitter.on('go', () => {
    if (late === 0) emitter.once('go', () => (late += 1));
  });
  emitter.emit('go');
  assert.equal(late, 0);
});

test('a listener may remove itself', () => {
  const emitter = new Emitter();
  const seen = [];
  const remove = emitter.on('go', () => {
    seen.push('self');
    remove();
  });
  emitter.on('go', () => seen.push('other'));
  emitter.emit('go');
  emitter.emit('go');
  assert.deepEqual(seen, ['self', 'other', 'other']);
});

test('a once listener can be removed before it runs', () => {
  const emitter = new Emitter();
  const remove = emitter.once('go', () => assert.fail('must not run'));
  remove();
  assert.equal(emitter.emit('go'), 0);
  assert.equal(emitter.emit('unknown'), 0);
});

test('a once listener that emits again runs once', () => {
  const emitter = new Emitter();
  let count = 0;
  emitter.once('go', () => {
    count += 1;
    emitter.emit('go');
  });
  emitter.emit('go');
  assert.equal(count, 1);
});
