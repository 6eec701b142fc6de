import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords, topWords } from '../src/count.js';

test('counts the words of a sentence', () => {
  assert.equal(countWords('The cat saw the other cat.'), 6);
});

test('several spaces and line ends separate words like one space', () => {
  assert.equal(countWords('one  two\nthree\n\n  four '), 4);
});

test('an empty text has no words', () => {
  assert.equal(countWords(''), 0);
});

test('lists the most frequent words first', () => {
  assert.deepEqual(topWords('The cat saw the other cat. The end', 2), [
    ['the', 3],
    ['cat', 2],
  ]);
});
