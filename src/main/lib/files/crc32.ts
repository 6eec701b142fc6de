import { crc32 } from 'node:zlib';

/** The CRC-32 of some bytes as it is written in records: eight lower-case hex digits. */
export function crc32Hex(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}
