import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFilter } from '../lib/filter.js';

test('names every rule that a comment breaks', () => {
  const filter = createFilter();
  assert.deepEqual(filter.reasons('BARGAIN at https://shop.example'), ['link', 'shouting']);
  assert.deepEqual(filter.reasons('Thank you, that helped.'), []);
});

test('refuses one link after the other', () => {
  const filter = createFilter();
  const comments = ['see https://one.example', 'see https://two.example', 'nice post'];
  assert.deepEqual(filter.accepted(comments), ['nice post']);
});

test('masks a mail address', () => {
  const filter = createFilter();
  assert.equal(filter.mask('write to a@b.example'), 'write to ***********');
});
