import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badge, countUnread } from '../src/badge.js';
import { Thread } from '../src/thread.js';

const thread = (...ids) => {
  const filled = new Thread();
  for (const id of ids) filled.add({ id, from: 'ada', text: `text ${id}` });
  return filled;
};
const idsAfter = (filled, id) => filled.after(id).map((message) => message.id);
const bob = (lastRead) => ({ name: 'bob', lastRead });

test('after a message', () => {
  const filled = thread(2, 5, 9);
  assert.deepEqual(idsAfter(filled, 2), [5, 9]);
  assert.deepEqual(idsAfter(filled, 5), [9]);
  assert.deepEqual(idsAfter(filled, 9), []);
  assert.deepEqual(idsAfter(filled, null), [2, 5, 9]);
});

test('after a message that was deleted', () => {
  const filled = thread(2, 5, 9);
  filled.remove(5);
  assert.deepEqual(idsAfter(filled, 5), [9]);
  assert.equal(countUnread(filled, bob(5)), 1);
  filled.remove(9);
  assert.equal(badge(filled, bob(9)), '0 unread');
  filled.remove(2);
  assert.deepEqual(idsAfter(filled, null), []);
});

test('ids that were never there', () => {
  assert.deepEqual(idsAfter(thread(2, 5, 9), 1), [2, 5, 9]);
  assert.deepEqual(idsAfter(thread(2, 5, 9), 6), [9]);
  assert.deepEqual(idsAfter(thread(2, 5, 9), 100), []);
});

test('zero is an id', () => {
  assert.deepEqual(idsAfter(thread(0, 1), 0), [1]);
  assert.deepEqual(idsAfter(thread(0, 1), null), [0, 1]);
});

test('many', () => {
  const filled = thread(...Array.from({ length: 101 }, (_, index) => index + 1));
  assert.equal(badge(filled, bob(1)), '99+ unread');
  assert.equal(badge(filled, bob(2)), '99 unread');
});
