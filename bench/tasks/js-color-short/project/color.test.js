'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { formatColor, isLight, parseColor } = require('./color.js');

test('long form', () => {
  assert.deepEqual(parseColor('#ff8800'), { red: 255, green: 136, blue: 0 });
  assert.deepEqual(parseColor(' #FF8800 '), { red: 255, green: 136, blue: 0 });
});

test('short form', () => {
  assert.deepEqual(parseColor('#f80'), { red: 255, green: 136, blue: 0 });
});

test('no color', () => {
  assert.equal(parseColor('red'), null);
  assert.equal(parseColor('#12345'), null);
});

test('writes', () => {
  assert.equal(formatColor({ red: 10, green: 0, blue: 255 }), '#0a00ff');
  assert.equal(isLight({ red: 255, green: 255, blue: 0 }), true);
});
