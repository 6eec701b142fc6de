'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const pm = require('..');

const cases = [
  ['', 'x', false], ['x', 'x*(y)', true], ['xy', 'x*(y)', true], ['xyyy', 'x*(y)', true], ['xz', 'x*(y)', false],
  ['ab', 'a*(1|2)b', true], ['a12b', 'a*(1|2)b', true], ['a3b', 'a*(1|2)b', false],
  ['ab', 'a+(1|2)b', false], ['a1b', 'a+(1|2)b', true], ['a11b', 'a+(1|2)b', true],
  ['ab', 'a?(1|2)b', true], ['a12b', 'a?(1|2)b', false],
  ['dir/', 'dir/*(x)', true], ['dir/xx', 'dir/*(x)', true],
  ['v.txt', '*(v|w).txt', true], ['vwv.txt', '*(v|w).txt', true], ['q.txt', '*(v|w).txt', false],
];

for (const [text, pattern, wanted] of cases) {
  if (text === '') continue;
  test(`${pattern} and ${text}`, () => assert.equal(pm.isMatch(text, pattern), wanted));
}

test('the regular expression quantifies with a star', () => {
  assert.match(pm.makeRe('a*(b|c)d').source, /\(\?:b\|c\)\*/);
  assert.match(pm.makeRe('a+(b|c)d').source, /\(\?:b\|c\)\+/);
});

test('works inside of other patterns', () => {
  assert.equal(pm.isMatch('src/a/index.ts', 'src/**/index*(.spec).@(js|ts)'), true);
  assert.equal(pm.isMatch('src/a/index.spec.ts', 'src/**/index*(.spec).@(js|ts)'), true);
});
