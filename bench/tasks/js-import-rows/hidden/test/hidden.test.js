import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { importRows } from '../src/import-rows.js';

const rows = (...names) => names.map((name) => ({ name, price: 1 }));

test('one write at a time, in order', async () => {
  let running = 0;
  let most = 0;
  const order = [];
  const waits = { a: 12, b: 6, c: 1 };
  const save = async (row) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(waits[row.name]);
    order.push(row.name);
    running -= 1;
  };
  const result = await importRows(rows('a', 'b', 'c'), { save });
  assert.deepEqual(result, { saved: 3, skipped: 0, errors: [] });
  assert.equal(most, 1);
  assert.deepEqual(order, ['a', 'b', 'c']);
});

test('a failed write does not stop the others', async () => {
  const saved = [];
  const save = async (row) => {
    await sleep(1);
    if (row.name.startsWith('bad')) throw new Error(`no ${row.name}`);
    saved.push(row.name);
  };
  const list = [...rows('bad 1', 'a'), { name: 'no price' }, ...rows('bad 2', 'b')];
  const result = await importRows(list, { save });
  assert.deepEqual(result, { saved: 2, skipped: 1, errors: ['no bad 1', 'no bad 2'] });
  assert.deepEqual(saved, ['a', 'b']);
});

test('nothing to import', async () => {
  assert.deepEqual(await importRows([], {}), { saved: 0, skipped: 0, errors: [] });
});
