'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { formatColor, isLight, parseColor } = require('./color.js');

const pairs = [
  ['#000', '#000000'],
  ['#fff', '#ffffff'],
  ['#123', '#112233'],
  ['#AbC', '#aabbcc'],
  [' #09e\n', '#0099ee'],
  ['#A0B1C2', '#a0b1c2'],
];

for (const [text, long] of pairs) {
  test(`${text.trim()} is ${long}`, () => assert.equal(formatColor(parseColor(text)), long));
}

for (const text of ['', '#', '#f', '#f8', '#f80f', '#ff880', '#ff88000', '#ff8800ff', '#ggg', '#fg0', 'f80', '#f 8', '##f80', '#f80 #f80']) {
  test(`${JSON.stringify(text)} is no color`, () => assert.equal(parseColor(text), null));
}

test('light and dark', () => {
  assert.equal(isLight(parseColor('#ddd')), true);
  assert.equal(isLight(parseColor('#333')), false);
});
