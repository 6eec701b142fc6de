'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { DEFAULTS, merge, settingsFor } = require('./settings.js');

test('neither argument is changed', () => {
  const base = { a: { b: { c: 1 } }, list: [1, 2] };
  const changes = { a: { b: { d: 2 } }, list: [3] };
  const baseBefore = structuredClone(base);
  const changesBefore = structuredClone(changes);
  assert.deepEqual(merge(base, changes), { a: { b: { c: 1, d: 2 } }, list: [3] });
  assert.deepEqual(base, baseBefore);
  assert.deepEqual(changes, changesBefore);
});

test('deep defaults stay as they are', () => {
  const before = structuredClone(DEFAULTS);
  settingsFor({ settings: { editor: { font: { size: 99 } } } });
  assert.deepEqual(DEFAULTS, before);
});

test('null and arrays replace', () => {
  assert.deepEqual(merge({ a: { b: 1 }, c: [1] }, { a: null, c: [] }), { a: null, c: [] });
});

test('an object replaces a plain value', () => {
  assert.deepEqual(merge({ a: 1 }, { a: { b: 2 } }), { a: { b: 2 } });
});
