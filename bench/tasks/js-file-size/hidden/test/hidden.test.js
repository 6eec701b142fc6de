import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSize, formatUsage } from '../src/format-size.js';

const KB = 1024;
const cases = [
  [1024, '1.0 KB'],
  [1023.9 * KB, '1023.9 KB'],
  [1000 * KB, '1000.0 KB'],
  [1023.96 * KB, '1.0 MB'],
  [KB ** 2, '1.0 MB'],
  [KB ** 3 - 1, '1.0 GB'],
  [KB ** 4 - 1, '1.0 TB'],
  [1023.9 * KB ** 3, '1023.9 GB'],
  [KB ** 5, '1024.0 TB'],
  [5000 * KB ** 4, '5000.0 TB'],
  [1023.4, '1023 B'],
  [1023.7, '1.0 KB'],
  [1.04 * KB, '1.0 KB'],
];

for (const [bytes, text] of cases) {
  test(`${bytes} is ${text}`, () => assert.equal(formatSize(bytes), text));
}

test('usage', () => {
  assert.equal(formatUsage(KB ** 2 - 10, KB ** 3 - 10), '1.0 MB of 1.0 GB');
});
