import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badge, countUnread } from '../src/badge.js';
import { Thread } from '../src/thread.js';

const thread = () =>
  new Thread()
    .add({ id: 3, from: 'ada', text: 'hi' })
    .add({ id: 4, from: 'bob', text: 'hello' })
    .add({ id: 8, from: 'ada', text: 'lunch?' });

test('everything is new to somebody who was never here', () => {
  assert.equal(badge(thread(), { name: 'cleo', lastRead: null }), '3 unread');
});

test('own messages do not count', () => {
  assert.equal(countUnread(thread(), { name: 'ada', lastRead: null }), 1);
});

test('what was read does not count', () => {
  assert.equal(badge(thread(), { name: 'bob', lastRead: 3 }), '1 unread');
});

test('all read', () => {
  assert.equal(badge(thread(), { name: 'bob', lastRead: 8 }), '0 unread');
});
