import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allInvoices } from '../src/all-invoices.js';
import { createClient } from '../src/client.js';
import { fakeService } from './fake-service.js';

async function collect(pages, cursors, account = 'acme') {
  const service = fakeService(pages, cursors);
  const client = createClient({ baseUrl: 'http://service.test', fetch: service.fetch });
  const items = [];
  for await (const item of allInvoices(client, account)) items.push(item);
  return { items, requests: service.requests };
}

test('cursors arrive as they were given', async () => {
  const cursors = ['a+b', 'c d', '50%', '#1', 'ü=?&x'];
  const { items, requests } = await collect([[1], [2], [3], [4], [5], [6]], cursors);
  assert.deepEqual(items, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(requests.slice(1).map((request) => request.cursor), cursors);
});

test('the first request has no cursor', async () => {
  const { items, requests } = await collect([[]], [], 'a&b');
  assert.deepEqual(items, []);
  assert.deepEqual(requests, [{ account: 'a&b' }]);
});

test('plain cursors still work', async () => {
  const { items } = await collect([[1, 2], [], [3]], ['p2', 'p3']);
  assert.deepEqual(items, [1, 2, 3]);
});
