import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFilter } from '../lib/filter.js';

test('gives the same answer however often it is asked', () => {
  const filter = createFilter();
  for (let turn = 0; turn < 4; turn += 1) {
    assert.deepEqual(filter.reasons('mail me@home.example or https://home.example, URGENT'), [
      'link',
      'mail address',
      'shouting',
    ]);
  }
});

test('still masks every match', () => {
  const filter = createFilter();
  assert.equal(filter.mask('a@b.example, c@d.example'), '***********, ***********');
  assert.equal(filter.mask('LOUDER and HIGHER'), '****** and ******');
});

test('works with the rules of a blog', () => {
  const filter = createFilter([{ name: 'casino', pattern: /casino/gi }]);
  assert.deepEqual(filter.accepted(['play in my Casino', 'casino', 'CASINO!', 'ok']), ['ok']);
  assert.equal(filter.mask('casino, Casino'), '******, ******');
});

test('a filter does not disturb another one with the same rules', () => {
  const first = createFilter();
  const second = createFilter();
  const comment = 'a long text before https://one.example';
  assert.deepEqual(first.reasons(comment), ['link']);
  assert.deepEqual(second.reasons(comment), ['link']);
  assert.equal(first.mask(comment), 'a long text before *******************');
  assert.deepEqual(first.reasons(comment), ['link']);
});
