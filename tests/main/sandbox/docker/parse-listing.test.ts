import { describe, expect, it } from 'vitest';
import { parseMany } from '../../../../src/main/sandbox/docker/parse-listing.ts';

const line = (size: number, time: string): string => `${size} 644 77 ${time} ${time}\n`;
const output = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''));

describe('what was printed of many files', () => {
  it('is cut by the sizes that stand before it', () => {
    const head = [line(3, '10:00'), line(0, '10:00'), line(4, '10:00')];
    const found = parseMany(output(...head, 'abc', '1\n3\n', ...head), ['a', 'b', 'c']);
    expect([...(found ?? [])].map(([path, { bytes, mode }]) => [path, Buffer.from(bytes).toString(), mode])).toEqual([
      ['a', 'abc', 0o644],
      ['b', '', 0o644],
      ['c', '1\n3\n', 0o644],
    ]);
  });

  it.each([
    ['a file was changed meanwhile', output(line(3, '10:00'), 'abc', line(3, '10:01'))],
    ['a file grew meanwhile', output(line(3, '10:00'), 'abcd', line(4, '10:00'))],
    ['a file shrank meanwhile', output(line(3, '10:00'), 'a', line(3, '10:00'))],
    ['the output is cut', output(line(3, '10:00'), 'ab')],
    ['there is none', output()],
  ])('is not believed where %s', (_why, bytes) => {
    expect(parseMany(bytes, ['a'])).toBeNull();
  });
});
