import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { importRows, isValid } from '../src/import-rows.js';

test('valid rows', () => {
  assert.equal(isValid({ name: 'Tea', price: 3 }), true);
  assert.equal(isValid({ name: ' ', price: 3 }), false);
});

test('skips rows that are not valid', async () => {
  const result = await importRows([{ name: '' }, { name: 'Tea', price: '3' }], {});
  assert.deepEqual(result, { saved: 0, skipped: 2, errors: [] });
});

test('says how many were saved', async () => {
  const saved = [];
  const save = async (row) => {
    await sleep(2);
    saved.push(row.name);
  };
  const rows = [{ name: 'Tea', price: 3 }, { name: 'Milk', price: 1 }, { name: 'Rum' }];
  assert.deepEqual(await importRows(rows, { save }), { saved: 2, skipped: 1, errors: [] });
  assert.deepEqual(saved, ['Tea', 'Milk']);
});
