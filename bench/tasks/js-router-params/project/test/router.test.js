import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '../src/router.js';

const router = new Router()
  .add('/', 'home')
  .add('/users/:id', 'user')
  .add('/users/:id/edit', 'edit');

test('finds a user', () => {
  assert.deepEqual(router.match('/users/7'), { handler: 'user', params: { id: '7' } });
});

test('a parameter is one segment', () => {
  assert.deepEqual(router.match('/users/7/edit'), { handler: 'edit', params: { id: '7' } });
});

test('parameters are decoded', () => {
  assert.deepEqual(router.match('/users/Ada%20L')?.params, { id: 'Ada L' });
});

test('unknown path', () => {
  assert.equal(router.match('/nowhere'), null);
});
