/** Builds small GGUF files with real headers, but without real weights. */
export interface GgufParts {
  readonly version?: number;
  readonly keys?: readonly (readonly [key: string, value: string | number])[];
  /** One row of float32 values, or rows of another type. */
  readonly tensors?: readonly {
    readonly name: string;
    readonly values: number;
    readonly rows?: number;
    readonly type?: number;
  }[];
  /** How many bytes of tensor data the file really holds. Default: all. */
  readonly dataBytes?: number;
}

const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};
const uint64 = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
};
const text = (value: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);

export function ggufFile({
  version = 3,
  keys = [['general.architecture', 'llama']],
  tensors = [],
  dataBytes,
}: GgufParts = {}): Buffer {
  let offset = 0;
  const infos = tensors.map(({ name, values, rows, type = 0 }) => {
    const shape = rows === undefined ? [values] : [values / rows, rows];
    const info = Buffer.concat([text(name), uint32(shape.length), ...shape.map(uint64), uint32(type), uint64(offset)]);
    offset += Math.ceil((values * 4) / 32) * 32;
    return info;
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(version),
    uint64(tensors.length),
    uint64(keys.length),
    ...keys.flatMap(([key, value]) =>
      typeof value === 'string' ? [text(key), uint32(8), text(value)] : [text(key), uint32(4), uint32(value)],
    ),
    ...infos,
  ]);
  const padding = Buffer.alloc((32 - (head.length % 32)) % 32);
  return Buffer.concat([head, padding, Buffer.alloc(dataBytes ?? offset)]);
}
