import { expect, it } from 'vitest';
import { crc32Hex } from '../../../../src/main/lib/files/crc32.ts';

/** Catches: a checksum in another form than the logs that exist have. */
it('the CRC-32 of a text is that of zlib, in eight digits', () => {
  expect(crc32Hex(Buffer.from('123456789'))).toBe('cbf43926');
  expect(crc32Hex(Buffer.from('The quick brown fox jumps over the lazy dog'))).toBe('414fa339');
  expect(crc32Hex(Buffer.alloc(0))).toBe('00000000');
});
