/** Splits a model file as `llama-gguf-split` does: keys in the first part, tensors in each part. Alignment 32. */
export function splitGguf(file: Buffer, count: number): readonly Buffer[] {
  const read = readerOf(file);
  read.skip(8);
  const [tensorCount, keyCount] = [read.u64(), read.u64()];
  const keysStart = read.at();
  for (let index = 0; index < keyCount; index += 1) {
    read.text();
    read.value(read.u32());
  }
  const keys = file.subarray(keysStart, read.at());
  const tensors = Array.from({ length: tensorCount }, () => {
    const start = read.at();
    read.text();
    read.skip(read.u32() * 8 + 4);
    return { info: file.subarray(start, read.at()), offset: read.u64() };
  });
  const dataStart = aligned(read.at());
  const offsets = tensors.map(({ offset }) => offset).toSorted((left, right) => left - right);
  const contentOf = (offset: number): Buffer => {
    const next = offsets.find((other) => other > offset);
    return file.subarray(dataStart + offset, next === undefined ? file.length : dataStart + next);
  };
  const perFile = Math.ceil(tensors.length / count);
  return Array.from({ length: count }, (_, index) => {
    const own = tensors.slice(index * perFile, (index + 1) * perFile);
    let offset = 0;
    const infos: Buffer[] = [];
    const contents: Buffer[] = [];
    for (const tensor of own) {
      const content = contentOf(tensor.offset);
      infos.push(tensor.info, uint(8, offset));
      contents.push(content, Buffer.alloc(aligned(content.length) - content.length));
      offset += aligned(content.length);
    }
    const split = [
      key('split.no', 2, uint(2, index)),
      key('split.count', 2, uint(2, count)),
      key('split.tensors.count', 5, uint(4, tensorCount)),
    ];
    const header = Buffer.concat([
      file.subarray(0, 8),
      uint(8, own.length),
      uint(8, (index === 0 ? keyCount : 0) + split.length),
      ...(index === 0 ? [keys] : []),
      ...split,
      ...infos,
    ]);
    return Buffer.concat([header, Buffer.alloc(aligned(header.length) - header.length), ...contents]);
  });
}

/** The file names of a split model. */
export function splitNames(name: string, count: number): readonly string[] {
  const digits = (number: number): string => String(number).padStart(5, '0');
  return Array.from({ length: count }, (_, index) => `${name}-${digits(index + 1)}-of-${digits(count)}.gguf`);
}

interface Reader {
  readonly at: () => number;
  readonly skip: (bytes: number) => void;
  readonly u32: () => number;
  readonly u64: () => number;
  readonly text: () => void;
  /** Skips a value of this GGUF type. */
  readonly value: (type: number) => void;
}

function readerOf(file: Buffer): Reader {
  let position = 0;
  const skip = (bytes: number): void => void (position += bytes);
  const u32 = (): number => file.readUInt32LE((position += 4) - 4);
  const u64 = (): number => Number(file.readBigUInt64LE((position += 8) - 8));
  const text = (): void => skip(u64());
  const value = (type: number): void => {
    if (type === 8) return text();
    if (type !== 9) return skip([1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8][type] ?? 0);
    const entryType = u32();
    for (let left = u64(); left > 0; left -= 1) value(entryType);
  };
  return { at: () => position, skip, u32, u64, text, value };
}

function key(name: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([uint(8, name.length), Buffer.from(name), uint(4, type), value]);
}

function uint(bytes: 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer.subarray(0, bytes);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 32) * 32;
}
