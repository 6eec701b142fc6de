import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync, readdirSync } from 'node:fs';
import * as money from './src/money.js';
import { exported } from './src/export.js';
import { report } from './src/report.js';
import { row } from './src/row.js';

const rows = [{ name: 'tea', cents: 250 }, { name: 'refund', cents: -5 }];
test('has the new name alone', () => assert.deepEqual(Object.keys(money), ['formatMoney']));
test('works as before', () => {
  assert.equal(row(rows[0]), 'tea: 2.50');
  assert.equal(exported(rows), 'fmt=1\ntea;2.50\nrefund;-0.05');
  assert.equal(report(rows), 'Sum: 2.45');
  assert.throws(() => report([]), /^Error: fmt: there is nothing to report/);
});
test('has the old name in texts alone', () => {
  for (const name of readdirSync('src')) {
    const code = readFileSync(`src/${name}`, 'utf8').replaceAll(/'[^'\n]*'|\/\*[^]*?\*\//g, '');
    assert.doesNotMatch(code, /\bfmt\b/, name);
  }
});
