import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSum } from '../src/all-invoices.js';
import { createClient } from '../src/client.js';
import { fakeService } from './fake-service.js';

const pages = [
  [{ cents: 100, paid: false }],
  [{ cents: 30, paid: true }],
  [{ cents: 5, paid: false }],
];

test('adds up all pages', async () => {
  const { fetch } = fakeService(pages, ['p2', 'p3']);
  const client = createClient({ baseUrl: 'http://service.test', fetch });
  assert.equal(await openSum(client, 'acme'), 105);
});

test('adds up all pages of a long account', async () => {
  const { fetch } = fakeService(pages, ['aGk+/Zm9v==', 'eHk&yz']);
  const client = createClient({ baseUrl: 'http://service.test', fetch });
  assert.equal(await openSum(client, 'acme & sons'), 105);
});
