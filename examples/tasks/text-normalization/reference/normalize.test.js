import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalize } from './normalize.js';

test('takes accents off', () => assert.equal(normalize(' É  x '), 'e x'));
