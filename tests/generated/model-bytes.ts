import { float32, ggufHeader, ggufText, uint32, uint64 } from '../../bench/lib/gguf-bytes.ts';
import { seeded } from '../../bench/lib/seeded.ts';

interface MadeTensor {
  readonly name: string;
  readonly shape: readonly number[];
}

/** A whole file whose weights come from one seed. */
export function modelBytes(keys: readonly Buffer[], tensors: readonly MadeTensor[]): Buffer {
  const random = seeded(7);
  let offset = 0;
  const data: Buffer[] = [];
  const list = tensors.map(({ name, shape }) => {
    const count = shape.reduce((product, length) => product * length, 1);
    const values = Float32Array.from({ length: count }, () => (random() - 0.5) * 0.5);
    const bytes = Buffer.from(values.buffer);
    const entry = Buffer.concat([
      ggufText(name),
      uint32(shape.length),
      ...shape.map(uint64),
      uint32(0),
      uint64(offset),
    ]);
    offset += bytes.length;
    data.push(bytes);
    return entry;
  });
  return Buffer.concat([ggufHeader(keys, list), ...data]);
}

/** A key of a file with its value. */
export function pair(key: string, value: Buffer): Buffer {
  return Buffer.concat([ggufText(key), value]);
}

export const text = (value: string): Buffer => Buffer.concat([uint32(8), ggufText(value)]);
export const uint = (value: number): Buffer => Buffer.concat([uint32(4), uint32(value)]);

export function float(value: number): Buffer {
  return Buffer.concat([uint32(6), float32(value)]);
}

export function array(type: number, entries: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(9), uint32(type), uint64(entries.length), ...entries]);
}
