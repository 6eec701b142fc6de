import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { readClientHello } from '../../../../src/main/sandbox/network/client-hello.ts';

/** The first bytes that a real client sends. */
function helloOf(servername: string, options: object = {}): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (bytes: Buffer) => resolve(bytes) });
    connect({ socket: wire, servername, rejectUnauthorized: false, ...options }).on('error', () => undefined);
  });
}

/** A client hello made by the test, with these extensions. */
function madeHello(extensions: readonly (readonly [number, Buffer])[]): Buffer {
  const list = Buffer.concat(extensions.flatMap(([type, data]) => [number16(type), number16(data.length), data]));
  const body = Buffer.concat([
    Buffer.from('0303', 'hex'),
    Buffer.alloc(32),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0]),
    number16(list.length),
    list,
  ]);
  return recordOf(Buffer.concat([Buffer.from([1, 0]), number16(body.length), body]));
}

function recordOf(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([22, 3, 1]), number16(payload.length), payload]);
}

/** Splits a message into records of one byte each. */
function onesOf(message: Buffer): readonly Buffer[] {
  return Array.from(message, (byte) => recordOf(Buffer.from([byte])));
}

function number16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

function nameData(...names: readonly string[]): Buffer {
  const entries = Buffer.concat(names.flatMap((name) => [Buffer.from([0]), number16(name.length), Buffer.from(name)]));
  return Buffer.concat([number16(entries.length), entries]);
}

const name = [0, nameData('files.example.org')] as const;
const hello = { type: 'hello', name: 'files.example.org', isHidden: false };

describe('the first message of a TLS client', () => {
  it.each([{}, { maxVersion: 'TLSv1.2' }, { ALPNProtocols: ['h2', 'http/1.1'] }])(
    'names the host that a real client asks for: %j',
    async (options) => {
      expect(readClientHello(await helloOf('files.example.org', options))).toEqual(hello);
    },
  );

  it('is read only once its last byte is there, wherever it is cut', async () => {
    const bytes = await helloOf('files.example.org');
    const found = Array.from(bytes, (_byte, end) => readClientHello(bytes.subarray(0, end)).type);
    expect(new Set(found)).toEqual(new Set(['more']));
  });

  it('is read the same when it is cut into many records', async () => {
    const bytes = await helloOf('files.example.org');
    const message = bytes.subarray(5);
    const pieces = Array.from({ length: Math.ceil(message.length / 7) }, (_none, index) =>
      recordOf(message.subarray(index * 7, index * 7 + 7)),
    );
    expect(readClientHello(Buffer.concat(pieces))).toEqual(hello);
  });

  it('is read again only when there is more of it', async () => {
    const bytes = await helloOf('files.example.org');
    for (let end = 0; end < bytes.length; end += 1) {
      const found = readClientHello(bytes.subarray(0, end));
      expect(found).toEqual({ type: 'more', wholeAt: end < 5 ? 5 : bytes.length });
    }
  });

  it('may name no host', () => {
    expect(readClientHello(madeHello([[10, Buffer.from('0002001d', 'hex')]]))).toEqual({ ...hello, name: null });
  });

  it.each([
    ['a second one hidden in it', [name, [0xfe0d, Buffer.alloc(40)]]],
    ['an older form of that', [[0xffce, Buffer.alloc(40)], name]],
  ] as const)('is marked as hidden when it has %s', (_what, extensions) => {
    expect(readClientHello(madeHello(extensions))).toEqual({ ...hello, isHidden: true });
  });

  it.each([
    ['two lists of names', madeHello([name, name])],
    ['two names in one list', madeHello([[0, nameData('files.example.org', 'other.example.org')]])],
    ['a name of another kind', madeHello([[0, Buffer.from('000401000161', 'hex')]])],
    ['a list longer than what there is', madeHello([[0, Buffer.from('00ff000001', 'hex')]])],
    ['bytes behind the list', madeHello([[0, Buffer.concat([nameData('files.example.org'), Buffer.from([0])])]])],
    ['another message first', recordOf(Buffer.from([2, 0, 0, 0]))],
    [
      'a message behind it in the same record',
      recordOf(Buffer.concat([madeHello([name]).subarray(5), Buffer.from([1, 0, 0, 0])])),
    ],
    ['a version that is no TLS', Buffer.from('1602000005', 'hex')],
    ['a length that nobody waits for', recordOf(Buffer.from([1, 0xff, 0xff, 0xff]))],
    // Bug: each record was copied again for each one after it, so 96 KB of records blocked the app for seconds.
    [
      'more records than anyone cuts',
      Buffer.concat(onesOf(Buffer.concat([Buffer.from([1, 0, 4, 0]), Buffer.alloc(1_020)]))),
    ],
    ['text', Buffer.from('GET / HTTP/1.1\r\n')],
  ])('is refused with %s', (_what, bytes) => {
    expect(readClientHello(bytes)).toEqual({ type: 'bad' });
  });

  it('is read or refused without an exception, for 20,000 damaged ones', async () => {
    const bytes = await helloOf('files.example.org');
    let state = 5;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const kinds = new Set<string>();
    for (let count = 0; count < 20_000; count += 1) {
      const damaged = Buffer.from(bytes.subarray(0, bytes.length - next(2) * next(bytes.length)));
      for (let changes = 1 + next(3); changes > 0; changes -= 1) damaged[next(damaged.length)] = next(256);
      kinds.add(readClientHello(damaged).type);
    }
    expect(kinds).toEqual(new Set(['hello', 'bad', 'more']));
  });
});
