import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSize, formatUsage } from '../src/format-size.js';

test('bytes are whole', () => {
  assert.equal(formatSize(0), '0 B');
  assert.equal(formatSize(1023), '1023 B');
});

test('larger units have one decimal', () => {
  assert.equal(formatSize(1536), '1.5 KB');
  assert.equal(formatUsage(1024, 2 * 1024 * 1024), '1.0 KB of 2.0 MB');
});

test('just below a megabyte', () => {
  assert.equal(formatSize(1024 * 1024 - 1), '1.0 MB');
});

test('refuses what is no size', () => {
  assert.throws(() => formatSize(-1), RangeError);
});
