import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '../src/router.js';

test('several parameters', () => {
  const router = new Router().add('/:org/:repo/issues/:number', 'issue');
  assert.deepEqual(router.match('/acme/big%2Fapp/issues/12')?.params, {
    org: 'acme',
    repo: 'big/app',
    number: '12',
  });
  assert.equal(router.match('/acme/app/issues'), null);
  assert.equal(router.match('/acme/app/extra/issues/12'), null);
});

test('a parameter is never empty', () => {
  const router = new Router().add('/users/:id', 'user');
  assert.equal(router.match('/users/'), null);
});

test('a slash at the end does not matter', () => {
  const router = new Router().add('/users/:id', 'user');
  assert.deepEqual(router.match('/users/7/'), { handler: 'user', params: { id: '7' } });
});

test('letters of other scripts', () => {
  const router = new Router().add('/tags/:tag', 'tag');
  assert.deepEqual(router.match('/tags/caf%C3%A9')?.params, { tag: 'café' });
});

test('dots in a route are dots', () => {
  const router = new Router().add('/robots.txt', 'robots');
  assert.equal(router.match('/robotsxtxt'), null);
  assert.equal(router.match('/robots.txt')?.handler, 'robots');
});
