import { describe, expect, it } from 'vitest';
import { parseMany, parseScan } from '../../../../../src/main/sandbox/docker/files/parse-listing.ts';

const line = (size: number, time: string): string => `${size} 644 77 ${time} ${time}\n`;
const output = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''));

describe('the printed contents of many files', () => {
  it('are split by the sizes that stand before them', () => {
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
  ])('are rejected where %s', (_why, bytes) => {
    expect(parseMany(bytes, ['a'])).toBeNull();
  });
});

describe('the printed list of files', () => {
  it('includes names that are no text, and shows when one of them changes', async () => {
    const scan = (time: string): Buffer =>
      Buffer.concat([
        Buffer.from('3 644 77 10:00 10:00\ta\0'),
        Buffer.from('1 644 78 10:00 10:00\tf\xff\0', 'latin1'),
        Buffer.from(`2 644 79 ${time} ${time}\tf\xfe\0`, 'latin1'),
      ]);
    const [before, after] = [(await parseScan(scan('10:00'))).files, (await parseScan(scan('10:01'))).files];
    expect([...before.keys()]).toEqual(['a', 'f\uFFFD']);
    expect(before.get('f\uFFFD')?.sizeBytes).toBe(3);
    expect(after.get('a')).toEqual(before.get('a'));
    expect(after.get('f\uFFFD')).not.toEqual(before.get('f\uFFFD'));
  });
});
