import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  createTunnel,
  encodeFrame,
  frame,
  pieceBytes,
  windowBytes,
  type Tunnel,
} from '../../../../src/main/sandbox/network/connection-tunnel.ts';

interface Place {
  readonly tunnel: Tunnel;
  readonly connections: Duplex[];
  readonly sent: Uint8Array[];
  readonly isBroken: () => boolean;
}

/** `isRead`: whether the forwarder reads what is sent to it. */
function start({ isRead = true, idleMs = 60_000 } = {}): Place {
  const connections: Duplex[] = [];
  const sent: Uint8Array[] = [];
  let isBroken = false;
  const tunnel = createTunnel({
    send: (bytes, done) => {
      sent.push(bytes);
      if (isRead) done();
    },
    onConnection: (connection) => void connections.push(connection),
    onReady: () => undefined,
    onBroken: () => (isBroken = true),
    idleMs,
  });
  return { tunnel, connections, sent, isBroken: () => isBroken };
}

const types = (place: Place): readonly (number | undefined)[] => place.sent.map((bytes) => bytes[0]);

describe('the tunnel between a container and the app', () => {
  it('reads the same frames however the bytes are cut', () => {
    const place = start();
    const bytes = Buffer.concat([
      encodeFrame(frame.open, 1),
      encodeFrame(frame.data, 1, Buffer.from('first ')),
      encodeFrame(frame.data, 1, Buffer.alloc(pieceBytes, 'x')),
    ]);
    for (const byte of bytes) place.tunnel.push(Buffer.from([byte]));
    // From Node 26 on, one read returns only one piece.
    const readAll = (connection: Duplex): string => {
      let text = '';
      for (let piece: unknown = connection.read(); Buffer.isBuffer(piece); piece = connection.read()) text += piece;
      return text;
    };
    expect(place.connections.map(readAll)).toEqual([`first ${'x'.repeat(pieceBytes)}`]);
    expect(place.isBroken()).toBe(false);
    place.tunnel.close();
  });

  it('breaks when a connection sends more than it was granted', () => {
    const place = start();
    place.tunnel.push(encodeFrame(frame.open, 1));
    const pieces = windowBytes / pieceBytes;
    for (let count = 0; count < pieces; count += 1)
      place.tunnel.push(encodeFrame(frame.data, 1, Buffer.alloc(pieceBytes)));
    expect(place.isBroken()).toBe(false);
    place.tunnel.push(encodeFrame(frame.data, 1, Buffer.alloc(1)));
    expect(place.isBroken()).toBe(true);
    expect(place.connections.every((connection) => connection.destroyed)).toBe(true);
  });

  it('breaks when the forwarder asks for connections and reads no answer', () => {
    const place = start({ isRead: false });
    let frames = 0;
    for (let id = 1; !place.isBroken() && id < 200_000; id += 1) {
      place.tunnel.push(encodeFrame(frame.open, id));
      frames += 1;
    }
    expect(place.isBroken()).toBe(true);
    expect(place.sent.length).toBeLessThanOrEqual(65_536);
    expect(frames).toBeLessThan(66_000);
  });

  it('breaks when a host sends tiny pieces to a forwarder that does not read', () => {
    const place = start({ isRead: false });
    place.tunnel.push(encodeFrame(frame.open, 1));
    for (let count = 0; count < windowBytes && !place.isBroken(); count += 1) place.connections[0]?.write('x');
    expect(place.isBroken()).toBe(true);
    expect(place.sent.length).toBeLessThanOrEqual(65_536);
  });

  it('takes nothing after its end', () => {
    const place = start();
    place.tunnel.push(Buffer.concat([encodeFrame(9, 1), encodeFrame(frame.open, 2)]));
    place.tunnel.push(encodeFrame(frame.open, 3));
    expect([place.isBroken(), place.connections.length]).toEqual([true, 0]);
  });

  it('ends a connection on which nothing moves, and keeps the others', async () => {
    const place = start({ idleMs: 300 });
    place.tunnel.push(Buffer.concat([encodeFrame(frame.open, 1), encodeFrame(frame.open, 2)]));
    const quiet = new Promise((resolve) => place.connections[0]?.once('close', resolve));
    const timer = setInterval(() => place.tunnel.push(encodeFrame(frame.data, 2, Buffer.from('x'))), 50);
    await quiet;
    clearInterval(timer);
    expect(place.connections.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    expect(types(place)).toContain(frame.reset);
    place.tunnel.close();
  });

  it('sends what was written before it closes a connection', async () => {
    const place = start();
    place.tunnel.push(encodeFrame(frame.open, 1));
    const [connection] = place.connections;
    if (connection === undefined || !('destroySoon' in connection)) throw new Error('It cannot be ended.');
    connection.write('last');
    if (typeof connection.destroySoon === 'function') connection.destroySoon();
    await new Promise((resolve) => connection.once('close', resolve));
    expect(types(place)).toEqual([frame.data, frame.end, frame.reset]);
  });
});
