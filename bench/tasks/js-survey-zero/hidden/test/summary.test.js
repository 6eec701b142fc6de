import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, summarize } from '../src/summary.js';

test('averages', () => {
  assert.deepEqual(summarize('food', [{ food: 4 }, { food: 7 }]), {
    answered: 2,
    skipped: 0,
    average: 5.5,
  });
});

test('texts from the form are numbers', () => {
  assert.equal(describe('food', [{ food: ' 4 ' }, { food: '2,5' }]), 'food: 3.3 (2)');
});

test('zero is an answer', () => {
  assert.deepEqual(summarize('food', [{ food: 0 }, { food: 10 }]), {
    answered: 2,
    skipped: 0,
    average: 5,
  });
});

test('who did not answer is left out', () => {
  assert.deepEqual(summarize('food', [{ food: null }, {}, { food: 3 }]), {
    answered: 1,
    skipped: 2,
    average: 3,
  });
});

test('nobody liked it', () => {
  assert.equal(describe('food', [{ food: 0 }, { food: '0' }]), 'food: 0.0 (2)');
});
