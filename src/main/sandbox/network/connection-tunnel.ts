import { Duplex } from 'node:stream';

/**
 * Many connections over the input and output of one process: the forwarder in the container (`forwarder.ts`), which
 * accepts them there. A frame is a type, the number of a connection and a length (1, 4 and 4 bytes, big-endian), then
 * the payload. Each side may send `windowBytes` of a connection before the other has said that it took them, so that
 * a slow one neither stops the others nor fills the memory.
 *
 * Everything that comes in is a stranger's word: a command in the container can write it, too. What breaks the rules
 * ends the whole tunnel.
 */
export const frame = { ready: 0, open: 1, data: 2, end: 3, reset: 4, taken: 5 } as const;

export const headerBytes = 9;
export const windowBytes = 256 * 1024;
export const pieceBytes = 64 * 1024;
const mostConnections = 128;
/** Waiting to be taken over there. An honest forwarder always reads; each frame costs memory here, however small. */
const mostUnsentFrames = 65_536;
const usualIdleMs = 120_000;

export interface TunnelOptions {
  /** Sends to the forwarder; must keep the order, and say when it has gone out or never will. */
  readonly send: (bytes: Uint8Array, sent: () => void) => void;
  /** Takes a connection that was made in the container. */
  readonly onConnection: (connection: Duplex) => void;
  /** The forwarder listens. */
  readonly onReady: () => void;
  /** It broke the rules; every connection has been ended. */
  readonly onBroken: () => void;
  /** A connection on which nothing moves for so long is ended. */
  readonly idleMs?: number;
}

export interface Tunnel {
  /** Takes what the forwarder wrote. */
  push(bytes: Uint8Array): void;
  /** Ends every connection. */
  close(): void;
}

export function createTunnel(options: TunnelOptions): Tunnel {
  const connections = new Map<number, TunnelConnection>();
  const idleMs = options.idleMs ?? usualIdleMs;
  const sendBounded = createBoundedSend(options.send, breakOff);
  let isClosed = false;

  function close(): void {
    isClosed = true;
    for (const connection of connections.values()) connection.destroy();
    connections.clear();
  }

  function breakOff(): void {
    if (isClosed) return;
    close();
    options.onBroken();
  }

  function send(type: number, id: number, payload?: Uint8Array): void {
    if (!isClosed) sendBounded(encodeFrame(type, id, payload));
  }

  function open(id: number): boolean {
    if (connections.has(id)) return false;
    if (connections.size >= mostConnections) {
      send(frame.reset, id);
      return true;
    }
    const connection = new TunnelConnection((type, payload) => send(type, id, payload), idleMs);
    connections.set(id, connection);
    connection.on('close', () => connections.delete(id));
    // Whoever takes it handles its end; an error of it is never a failure of the program.
    connection.on('error', () => undefined);
    options.onConnection(connection);
    return true;
  }

  /** False: against the rules. A frame of a connection that has just been ended here is not. */
  function take(type: number, id: number, payload: Buffer): boolean {
    if (isClosed) return false;
    if (type === frame.ready) {
      options.onReady();
      return payload.length === 0;
    }
    if (type === frame.open) return payload.length === 0 && open(id);
    return takeFor(connections.get(id), type, payload);
  }

  const reader = createReader(take);
  return {
    close,
    push(bytes) {
      if (!isClosed && !reader.push(bytes)) breakOff();
    },
  };
}

/** False: against the rules. Where there is no connection it has just been ended here. */
function takeFor(connection: TunnelConnection | undefined, type: number, payload: Buffer): boolean {
  switch (type) {
    case frame.data:
      return connection?.receive(payload) ?? true;
    case frame.end:
      connection?.receiveEnd();
      return true;
    case frame.reset:
      connection?.destroy();
      return true;
    case frame.taken:
      return payload.length === 4 && (connection?.grant(payload.readUInt32BE(0)) ?? true);
    default:
      return false;
  }
}

/** `onFull` instead of more than may wait. */
function createBoundedSend(send: TunnelOptions['send'], onFull: () => void): (bytes: Uint8Array) => void {
  let unsentFrames = 0;
  return (bytes) => {
    if (unsentFrames >= mostUnsentFrames) return onFull();
    unsentFrames += 1;
    send(bytes, () => (unsentFrames -= 1));
  };
}

/** Cuts what comes into frames. `push` is false once one breaks the rules or `take` does not take it. */
function createReader(take: (type: number, id: number, payload: Buffer) => boolean): {
  readonly push: (bytes: Uint8Array) => boolean;
} {
  const chunks: Buffer[] = [];
  let count = 0;
  /** With fewer bytes there is nothing to do: a frame that drips in is not copied for every drop. */
  let needed = headerBytes;
  return {
    push(bytes) {
      chunks.push(Buffer.from(bytes));
      count += bytes.length;
      if (count < needed) return true;
      const pending = Buffer.concat(chunks);
      let offset = 0;
      needed = headerBytes;
      while (pending.length - offset >= headerBytes) {
        const payload = offset + headerBytes;
        const length = pending.readUInt32BE(offset + 5);
        if (length > pieceBytes) return false;
        if (pending.length < payload + length) {
          needed = headerBytes + length;
          break;
        }
        const id = pending.readUInt32BE(offset + 1);
        if (!take(pending.readUInt8(offset), id, pending.subarray(payload, payload + length))) return false;
        offset = payload + length;
      }
      count = pending.length - offset;
      // A copy: the rest of what came must not be kept alive by it.
      chunks.splice(0, chunks.length, Buffer.from(pending.subarray(offset)));
      return true;
    },
  };
}

export function encodeFrame(type: number, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(id, 1);
  header.writeUInt32BE(payload.length, 5);
  return Buffer.concat([header, payload]);
}

/** The side of a connection that is outside of the container. */
class TunnelConnection extends Duplex {
  readonly #send: (type: number, payload?: Uint8Array) => void;
  readonly #idle: NodeJS.Timeout;
  #credit = windowBytes;
  #unsent: { bytes: Buffer; done: () => void } | null = null;
  /** Taken in and not yet told to the other side. */
  #untold = 0;

  constructor(send: (type: number, payload?: Uint8Array) => void, idleMs: number) {
    super({ allowHalfOpen: true, readableHighWaterMark: pieceBytes });
    this.#send = (type, payload) => {
      this.#idle.refresh();
      send(type, payload);
    };
    this.#idle = setTimeout(() => this.destroy(), idleMs);
  }

  /** As a socket has it: `http` ends a client with this once its last answer is out. */
  destroySoon(): void {
    this.end(() => this.destroy());
  }

  /** False: more than was granted. */
  receive(bytes: Buffer): boolean {
    if (this.destroyed) return true;
    this.#idle.refresh();
    this.#untold += bytes.length;
    if (this.#untold > windowBytes) return false;
    this.push(bytes);
    return true;
  }

  receiveEnd(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  /** False: more than was ever sent. */
  grant(bytes: number): boolean {
    this.#credit += bytes;
    if (this.#credit > windowBytes) return false;
    this.#flush();
    return true;
  }

  override _read(): void {
    if (this.#untold === 0) return;
    const taken = Buffer.alloc(4);
    taken.writeUInt32BE(this.#untold, 0);
    this.#untold = 0;
    this.#send(frame.taken, taken);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#unsent = { bytes: chunk, done };
    this.#flush();
  }

  override _final(done: () => void): void {
    this.#send(frame.end);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#unsent = null;
    // Ended on both sides, it may still be on its way out over there.
    if (!this.writableFinished || !this.readableEnded) this.#send(frame.reset);
    done(error);
  }

  #flush(): void {
    while (this.#unsent !== null && this.#credit > 0) {
      const { bytes, done } = this.#unsent;
      const count = Math.min(bytes.length, this.#credit, pieceBytes);
      this.#send(frame.data, bytes.subarray(0, count));
      this.#credit -= count;
      if (count === bytes.length) {
        this.#unsent = null;
        done();
      } else {
        this.#unsent = { bytes: bytes.subarray(count), done };
      }
    }
  }
}
