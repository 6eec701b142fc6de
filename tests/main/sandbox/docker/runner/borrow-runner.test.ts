import { describe, expect, it } from 'vitest';
import { fileOf } from '../../../../../src/main/sandbox/docker/runner/borrow-runner.ts';

function archive(type: string, size: number, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write('runner', 0);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc(1024)]);
}

describe('the file in an archive', () => {
  it('is read from behind its header', () => {
    expect(String(fileOf(archive('0', 3, 'abc')))).toBe('abc');
  });

  it.each([
    ['holds a link', archive('2', 3, 'abc')],
    ['is cut', archive('0', 5000, 'abc')],
    ['holds nothing', archive('0', 0, '')],
    ['is empty', Buffer.alloc(0)],
    ['names no size', archive('0', 3, 'abc').fill('x', 124, 136)],
  ])('is not found where the archive %s', (_what, bytes) => expect(fileOf(bytes)).toBe(null));
});
