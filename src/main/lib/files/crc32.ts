/** Slicing-by-8 tables of the CRC-32 polynomial 0xEDB88320 (as zlib; `zlib.crc32` itself needs Node 20.15). */
const tables = buildTables();

function buildTables(): readonly Int32Array[] {
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    first[byte] = value;
  }
  const all = [first];
  for (let slice = 1; slice < 8; slice += 1) {
    const previous = all[slice - 1] ?? first;
    all.push(previous.map((value) => (value >>> 8) ^ (first[value & 0xff] ?? 0)));
  }
  return all;
}

const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;

/**
 * CRC-32 of `bytes[start, end)` as an unsigned number. `seed` is the CRC of the bytes before, so that a long text can
 * be processed in pieces: `crc32(b, crc32(a))` equals the CRC of `a` and `b` together.
 */
export function crc32(bytes: Uint8Array, seed = 0, start = 0, end = bytes.length): number {
  if (!t0 || !t1 || !t2 || !t3 || !t4 || !t5 || !t6 || !t7) return 0;
  let crc = ~seed;
  let at = start;
  const lastWhole = end - 8;
  // Reads below stay inside [start, end); `| 0` tells the compiler's index check what the loop bound already says.
  for (; at <= lastWhole; at += 8) {
    const low = crc ^ (at4(bytes, at) | 0);
    crc =
      at32(t7, low & 0xff) ^
      at32(t6, (low >>> 8) & 0xff) ^
      at32(t5, (low >>> 16) & 0xff) ^
      at32(t4, low >>> 24) ^
      at32(t3, at8(bytes, at + 4)) ^
      at32(t2, at8(bytes, at + 5)) ^
      at32(t1, at8(bytes, at + 6)) ^
      at32(t0, at8(bytes, at + 7));
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ at32(t0, (crc ^ at8(bytes, at)) & 0xff);
  return ~crc >>> 0;
}

/** A CRC-32 as it is written in records: eight lower-case hex digits. */
export function crc32Hex(bytes: Uint8Array, seed = 0, start = 0, end = bytes.length): string {
  return crc32(bytes, seed, start, end).toString(16).padStart(8, '0');
}

function at8(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function at32(table: Int32Array, index: number): number {
  return table[index] ?? 0;
}

function at4(bytes: Uint8Array, index: number): number {
  return (
    at8(bytes, index) | (at8(bytes, index + 1) << 8) | (at8(bytes, index + 2) << 16) | (at8(bytes, index + 3) << 24)
  );
}
