import { Duplex } from 'node:stream';

/**
 * Many connections over the input and output of one process: the forwarder in the container
 * (`container-forwarder.ts`), which accepts them there. A frame is a type, a connection number and a length (1, 4
 * and 4 bytes, big-endian), then the payload. Each side may send `windowBytes` of a connection before the other
 * confirms that it took them. So a slow connection neither stops the others nor fills the memory.
 * All input is untrusted, because a command in the container can write it, too. A violation of these rules ends the
 * whole tunnel.
 */
export const frame = { ready: 0, open: 1, data: 2, end: 3, reset: 4, taken: 5 } as const;

export const headerBytes = 9;
export const windowBytes = 256 * 1024;
export const pieceBytes = 64 * 1024;
const mostConnections = 128;
/**
 * The most frames that wait to be taken by the forwarder. An honest one always reads. Each frame needs memory here,
 * however small it is.
 */
const mostUnsentFrames = 65_536;
const usualIdleMs = 120_000;

export interface TunnelOptions {
  /** Sends bytes to the forwarder. It must keep the order, and call `sent` when they have gone out or never will. */
  readonly send: (bytes: Uint8Array, sent: () => void) => void;
  /** Receives a connection that was made in the container. */
  readonly onConnection: (connection: Duplex) => void;
  /** Called when the forwarder listens. */
  readonly onReady: () => void;
  /** Called when the other side broke the rules. All connections have been ended. */
  readonly onBroken: () => void;
  /** A connection that is idle for this long is ended. */
  readonly idleMs?: number;
}

export interface Tunnel {
  /** Takes bytes that the forwarder wrote. */
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
    // The receiver handles the end of a connection. Its errors must not end the program.
    connection.on('error', () => undefined);
    options.onConnection(connection);
    return true;
  }

  /**
   * Returns false for a violation of the rules. A frame for a connection that has just been ended here is not one.
   */
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

/** Returns false for a violation of the rules. An unknown connection has just been ended here, which is not one. */
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

/** Calls `onFull` instead of sending when too much is waiting. */
function createBoundedSend(send: TunnelOptions['send'], onFull: () => void): (bytes: Uint8Array) => void {
  let unsentFrames = 0;
  return (bytes) => {
    if (unsentFrames >= mostUnsentFrames) return onFull();
    unsentFrames += 1;
    send(bytes, () => (unsentFrames -= 1));
  };
}

/** Splits the input into frames. `push` returns false once a frame breaks the rules or `take` refuses it. */
function createReader(take: (type: number, id: number, payload: Buffer) => boolean): {
  readonly push: (bytes: Uint8Array) => boolean;
} {
  const chunks: Buffer[] = [];
  let count = 0;
  /**
   * With fewer bytes there is no complete frame. So a frame that arrives in tiny pieces is not copied for each of
   * them.
   */
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
      // A copy, so that the rest does not keep the whole input in memory.
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

/** The end of a connection outside of the container. */
class TunnelConnection extends Duplex {
  readonly #send: (type: number, payload?: Uint8Array) => void;
  readonly #idle: NodeJS.Timeout;
  #credit = windowBytes;
  #unsent: { bytes: Buffer; done: () => void } | null = null;
  /** Bytes that were taken but not yet confirmed to the other side. */
  #untold = 0;

  constructor(send: (type: number, payload?: Uint8Array) => void, idleMs: number) {
    super({ allowHalfOpen: true, readableHighWaterMark: pieceBytes });
    this.#send = (type, payload) => {
      this.#idle.refresh();
      send(type, payload);
    };
    this.#idle = setTimeout(() => this.destroy(), idleMs);
  }

  /** Like a socket's method: `http` ends a client with it after the last answer. */
  destroySoon(): void {
    this.end(() => this.destroy());
  }

  /** Returns false if the other side sent more than was granted. */
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

  /** Returns false if the other side confirmed more than was sent. */
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
    // Without the reset, the other side would go on. After an end on both sides, data may still be on its way out
    // there.
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
