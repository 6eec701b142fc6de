'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { parseEnv } = require('../lib/parse-env.js');

const cases = [
  ['A=b#c', 'b#c'],
  ['A=b #c', 'b'],
  ['A=b\t# c', 'b'],
  ['A=b#c #d', 'b#c'],
  ['A=b#', 'b#'],
  ['A=##', '##'],
  ['A="b # c"', 'b # c'],
  ["A='b # c'", 'b # c'],
  ['A="b # c" # d', 'b # c'],
  ['A = "b#c"   #d', 'b#c'],
  ['A=" b "', ' b '],
  ["A='it is \"so\" # 1'", 'it is "so" # 1'],
  ['export A=x#y', 'x#y'],
  ['A=', ''],
  ['A= # nothing', ''],
  ['A=a=b#c', 'a=b#c'],
];

for (const [line, value] of cases) {
  test(`${line} gives ${JSON.stringify(value)}`, () => assert.deepEqual(parseEnv(line), { A: value }));
}

test('lines that set nothing', () => {
  assert.deepEqual(parseEnv('#A=1\n  # B=2\n\nnothing\n#\nC=3\r\nD="4 # 5"\r\n'), { C: '3', D: '4 # 5' });
});
