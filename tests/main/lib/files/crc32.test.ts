import { describe, expect, it } from 'vitest';
import { crc32, crc32Hex } from '../../../../src/main/lib/files/crc32.ts';

describe('crc32', () => {
  it('gives the published check values', () => {
    expect(crc32Hex(Buffer.from('123456789'))).toBe('cbf43926');
    expect(crc32Hex(Buffer.from('The quick brown fox jumps over the lazy dog'))).toBe('414fa339');
    expect(crc32Hex(Buffer.alloc(0))).toBe('00000000');
  });

  it('sums a text in pieces of any length to the same', () => {
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 31) & 0xff));
    const whole = crc32(bytes);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(crc32(bytes, crc32(bytes, 0, 0, cut), cut)).toBe(whole);
    }
  });
});
