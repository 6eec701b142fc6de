import { describe, expect, it } from 'vitest';
import { MessageHeaders } from '../../../src/main/language-servers/message-headers.ts';

const message = (text: string): Buffer =>
  Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\nContent-Type: x\r\n\r\n${text}`);

describe('the headers of messages', () => {
  it.each([1, 3, 7, 4_096, 100_000])('are allowed in pieces of %i bytes, whatever the content', (size) => {
    const bytes = Buffer.concat([message('{}'), message('\r\n\r\n🙂'.repeat(2_000)), message(''), message('{"a": 1}')]);
    const headers = new MessageHeaders();
    for (let at = 0; at < bytes.length; at += size) expect(headers.allow(bytes.subarray(at, at + size))).toBe(true);
  });

  // Catches: a server that prints lines without an end, through which the reader looks again with each piece.
  it('are refused when they do not end or name no length', () => {
    expect(new MessageHeaders().allow(Buffer.from('Content\n'.repeat(1_000)))).toBe(false);
    expect(new MessageHeaders().allow(Buffer.from('Content-Type: x\r\n\r\n{}'))).toBe(false);
    expect(new MessageHeaders().allow(Buffer.from('Content-Length: many\r\n\r\n{}'))).toBe(false);
    const slow = new MessageHeaders();
    const allowed = Array.from({ length: 5_000 }, () => slow.allow(Buffer.from('y')));
    expect(allowed.indexOf(false)).toBe(4_095);
  });
});
