import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from '../src/money.js';
import { exported } from '../src/export.js';
import { report } from '../src/report.js';
import { row } from '../src/row.js';

const rows = [{ name: 'tea', cents: 250 }, { name: 'refund', cents: -5 }];
test('formats', () => assert.equal(formatMoney(-5), '-0.05'));
test('shows a row', () => assert.equal(row(rows[0]), 'tea: 2.50'));
test('exports', () => assert.equal(exported(rows), 'fmt=1\ntea;2.50\nrefund;-0.05'));
test('reports', () => assert.equal(report(rows), 'Sum: 2.45'));
test('reports nothing', () => assert.throws(() => report([]), /^Error: fmt: there is nothing/));
