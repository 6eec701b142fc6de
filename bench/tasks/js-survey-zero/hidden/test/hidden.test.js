import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { answersTo, answerTo } from '../src/answers.js';
import { describe, summarize } from '../src/summary.js';

const cases = [
  [0, 0],
  ['0', 0],
  [' 0 ', 0],
  ['0,0', 0],
  [-1, -1],
  ['-2,5', -2.5],
  [7, 7],
  ['', null],
  ['   ', null],
  [null, null],
  [undefined, null],
  ['none', null],
  [Number.NaN, null],
];

for (const [raw, answer] of cases) {
  test(`${inspect(raw)} gives ${answer}`, () => {
    assert.equal(answerTo('q', { q: raw }), answer);
  });
}

test('a missing field', () => {
  assert.deepEqual(answersTo('q', [{}, { q: 0 }, { other: 1 }]), [null, 0, null]);
});

test('empty texts do not pull the average down', () => {
  assert.deepEqual(summarize('q', [{ q: '' }, { q: ' ' }, { q: '6' }, { q: 0 }]), {
    answered: 2,
    skipped: 2,
    average: 3,
  });
});

test('no answers', () => {
  assert.equal(describe('q', [{ q: '' }, {}]), 'q: no answers');
  assert.equal(summarize('q', []).average, null);
});
