/** The result of reading a client's first bytes. `more`: not complete yet. `bad`: not a valid beginning of TLS. */
export type ClientHello =
  /** With fewer bytes than `wholeAt` in total, the result stays the same. */
  | { readonly type: 'more'; readonly wholeAt: number }
  | { readonly type: 'bad' }
  | {
      readonly type: 'hello';
      /** The only name that the client asks for, as sent. Null: it names none. */
      readonly name: string | null;
      /** It contains a second, encrypted hello that may have another name. */
      readonly isHidden: boolean;
    };

const recordHeader = 5;
const handshakeRecord = 22;
const clientHello = 1;
const messageHeader = 4;
/**
 * Far more than any honest client sends. A hello may be split into records, but each costs time, so their number is
 * limited.
 */
const longestHello = 64 * 1024;
const mostRecords = 1024;
const nameExtension = 0;
const encryptedHelloExtensions: readonly number[] = [0xfe0d, 0xffce];

/**
 * Parses the first message of a TLS client from all bytes so far. Pure. It is strict, so that no server can read the
 * message differently. It copies the message once, when it is complete.
 */
export function readClientHello(bytes: Buffer): ClientHello {
  const parts: Buffer[] = [];
  let gathered = 0;
  let offset = 0;
  let whole: number | null = null;
  for (;;) {
    if (whole === null && gathered >= messageHeader) {
      const start = Buffer.concat(parts);
      whole = messageHeader + start.readUIntBE(1, 3);
      if (start[0] !== clientHello || whole > longestHello) return { type: 'bad' };
    }
    if (whole !== null && gathered > whole) return { type: 'bad' };
    if (gathered === whole) return readMessage(Buffer.concat(parts).subarray(messageHeader));
    if (parts.length === mostRecords) return { type: 'bad' };
    const left = bytes.subarray(offset);
    if (left.length > 0 && left[0] !== handshakeRecord) return { type: 'bad' };
    if (left.length > 1 && left[1] !== 3) return { type: 'bad' };
    if (left.length < recordHeader) return { type: 'more', wholeAt: offset + recordHeader };
    const length = left.readUInt16BE(3);
    if (length === 0 || length > 16_384) return { type: 'bad' };
    if (left.length < recordHeader + length) return { type: 'more', wholeAt: offset + recordHeader + length };
    parts.push(left.subarray(recordHeader, recordHeader + length));
    gathered += length;
    offset += recordHeader + length;
  }
}

function readMessage(message: Buffer): ClientHello {
  const reader = createReader(message);
  reader.skip(2 + 32);
  reader.vector(1);
  reader.vector(2);
  reader.vector(1);
  if (reader.isAtEnd()) return { type: 'hello', name: null, isHidden: false };
  const extensions = createReader(reader.vector(2));
  if (!reader.isAtEnd() || reader.isBroken()) return { type: 'bad' };
  let name: string | null = null;
  let isHidden = false;
  const seen = new Set<number>();
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (extensions.isBroken() || seen.has(type)) return { type: 'bad' };
    seen.add(type);
    if (encryptedHelloExtensions.includes(type)) isHidden = true;
    if (type !== nameExtension) continue;
    const found = readName(data);
    if (found === null) return { type: 'bad' };
    name = found;
  }
  return { type: 'hello', name, isHidden };
}

/** The name, if there is exactly one and it is of the only defined kind. */
function readName(data: Buffer): string | null {
  const outer = createReader(data);
  const list = createReader(outer.vector(2));
  const kind = list.number(1);
  const name = list.vector(2);
  if (!outer.isAtEnd() || !list.isAtEnd() || outer.isBroken() || list.isBroken() || kind !== 0) return null;
  return name.toString('latin1');
}

interface Reader {
  readonly number: (size: 1 | 2) => number;
  /** Reads bytes with a length prefix. */
  readonly vector: (size: 1 | 2) => Buffer;
  readonly skip: (count: number) => void;
  readonly isAtEnd: () => boolean;
  /** Whether more was read than there is. */
  readonly isBroken: () => boolean;
}

function createReader(bytes: Buffer): Reader {
  let offset = 0;
  const take = (count: number): Buffer => {
    const taken = bytes.subarray(offset, offset + count);
    offset += count;
    return taken;
  };
  const number = (size: 1 | 2): number => {
    const taken = take(size);
    return taken.length === size ? taken.readUIntBE(0, size) : 0;
  };
  return {
    number,
    vector: (size) => take(number(size)),
    skip: (count) => void take(count),
    isAtEnd: () => offset >= bytes.length,
    isBroken: () => offset > bytes.length,
  };
}
