/** A whole number, a flag, or one or more numbers with a fraction. */
export type GgufValue = string | number | boolean | { readonly float: number } | { readonly floats: readonly number[] };

/** Builds small GGUF files with real headers. The weights are zeros, or those of `fill`. */
export interface GgufParts {
  readonly version?: number;
  readonly keys?: readonly (readonly [key: string, value: GgufValue])[];
  /** One row of float32 values, or rows of another type. */
  readonly tensors?: readonly {
    readonly name: string;
    readonly values: number;
    readonly rows?: number;
    readonly type?: number;
    /** Takes the place of `values` and `rows`: the dimensions, innermost first. */
    readonly shape?: readonly number[];
  }[];
  /** The weights of a tensor, as float32. Default: zeros. */
  readonly fill?: (name: string, values: number) => Float32Array;
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

const float32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
};

function valueOf(value: GgufValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(8), text(value)]);
  if (typeof value === 'number') return Buffer.concat([uint32(4), uint32(value)]);
  if (typeof value === 'boolean') return Buffer.concat([uint32(7), Buffer.from([value ? 1 : 0])]);
  if ('float' in value) return Buffer.concat([uint32(6), float32(value.float)]);
  return Buffer.concat([uint32(9), uint32(6), uint64(value.floats.length), ...value.floats.map(float32)]);
}

export function ggufFile({
  version = 3,
  keys = [['general.architecture', 'llama']],
  tensors = [],
  dataBytes,
  fill,
}: GgufParts = {}): Buffer {
  let offset = 0;
  const data: Buffer[] = [];
  const infos = tensors.map(({ name, values, rows, type = 0, shape: given }) => {
    const shape = given ?? (rows === undefined ? [values] : [values / rows, rows]);
    if (fill !== undefined) {
      const bytes = Buffer.from(fill(name, values).buffer);
      data.push(bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32));
    }
    const info = Buffer.concat([text(name), uint32(shape.length), ...shape.map(uint64), uint32(type), uint64(offset)]);
    offset += Math.ceil((values * 4) / 32) * 32;
    return info;
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(version),
    uint64(tensors.length),
    uint64(keys.length),
    ...keys.flatMap(([key, value]) => [text(key), valueOf(value)]),
    ...infos,
  ]);
  const padding = Buffer.alloc((32 - (head.length % 32)) % 32);
  return Buffer.concat([head, padding, ...(fill === undefined ? [Buffer.alloc(dataBytes ?? offset)] : data)]);
}
