'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { spread, wrap } = require('./wrap.js');

test('every line fits at every width', () => {
  const text = 'we  sell tea, coffee,\ncocoa and a lot of other hot drinks';
  for (let width = 7; width < 60; width += 1) {
    const lines = wrap(text, width);
    assert.ok(lines.every((line) => line.length <= width), `width ${width}`);
    assert.equal(lines.join(' '), text.replace(/\s+/g, ' '));
  }
});

test('lines are filled as far as possible', () => {
  assert.deepEqual(wrap('aa bb cc', 5), ['aa bb', 'cc']);
  assert.deepEqual(wrap('aa bb cc', 8), ['aa bb cc']);
});

test('a long word stands alone', () => {
  assert.deepEqual(wrap('a extraordinary b', 5), ['a', 'extraordinary', 'b']);
});

test('nothing gives no lines', () => {
  assert.deepEqual(wrap('   ', 5), []);
  assert.equal(spread('abc', 'def', 4), 'abc def');
});
