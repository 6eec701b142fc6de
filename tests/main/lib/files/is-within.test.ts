import { expect, it } from 'vitest';
import { isWithin } from '../../../../src/main/lib/files/is-within.ts';

it.each<[string, string, NodeJS.Platform, boolean]>([
  ['/a', '/a', 'linux', true],
  ['/a/b', '/a', 'linux', true],
  ['/a/..b', '/a', 'linux', true],
  ['/ab', '/a', 'linux', false],
  ['/', '/a', 'linux', false],
  ['/a/../b', '/a', 'linux', false],
  ['/a', '/', 'linux', true],
  ['C:\\a\\B', 'c:\\A', 'win32', true],
  ['D:\\a', 'C:\\a', 'win32', false],
])('isWithin says of %s whether it lies within %s on %s', (path, folder, platform, expected) => {
  expect(isWithin(path, folder, platform)).toBe(expected);
});
