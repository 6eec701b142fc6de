/** Numbers and texts in the format of a GGUF file. */
export function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

export function uint64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

export function float32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}

/** The text's length, then its bytes. */
export function ggufText(value: string): Buffer {
  return Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);
}

/** The places in the file where the data of tensors may begin. */
export const ggufAlignment = 32;

/** Everything in a file before the data of its tensors: its keys and its list of tensors, already encoded. */
export function ggufHeader(keys: readonly Buffer[], tensors: readonly Buffer[]): Buffer {
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(keys.length),
    ...keys,
    ...tensors,
  ]);
  return Buffer.concat([header, Buffer.alloc((ggufAlignment - (header.length % ggufAlignment)) % ggufAlignment)]);
}
