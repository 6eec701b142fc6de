import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { SentLine } from './sent-line.ts';
import { onEachConnection } from './each-connection.ts';
import { isOwnAddress, isThisMachine } from './this-machine.ts';
import { reasonNow, type SendReason } from './send-reason.ts';

export interface CountOptions {
  /** Takes a line before the bytes that it announces go out. If it throws, the connection ends. */
  readonly note: (line: SentLine) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether an address is this machine. Tests have only loopback. */
  readonly isHere?: (address: string) => boolean;
}

/** What Node's handle of a TCP connection counts. With TLS, these are the encrypted bytes with all handshakes. */
interface Handle {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Bytes that the system has not taken yet. */
  readonly writeQueueSize: number;
}

interface Counted {
  readonly id: number;
  readonly socket: Socket;
  readonly handle: Handle;
  readonly address: string | null;
  readonly port: number | null;
  /** The name that was looked up. */
  readonly name: string | null;
  reason: SendReason;
  /** How many bytes stand in the record. */
  out: number;
  in: number;
  /** When bytes that only came in were last written down. */
  noted: number;
}

/** The channel on which a socket is announced that sends on behalf of the reason of now. */
export const sendsNow = 'dewpoint:socket:sends';

const everyMs = 250;
/** What only comes in, and what stays on this machine, may be written down later. */
const calmMs = 5_000;
const localMs = 60_000;

/**
 * Counts the bytes of every outgoing connection of this process, whoever opens it. What is counted is what the
 * system took and gave, so TLS counts with its handshakes and its overhead, and bytes that never left the process do
 * not count. UDP and other programs are not seen.
 */
export class SocketCounts {
  readonly #options: CountOptions;
  readonly #isHere: (address: string) => boolean;
  readonly #live = new Set<Counted>();
  readonly #known = new WeakMap<object, Counted>();
  readonly #requests = new WeakMap<object, SendReason>();
  readonly #channels: readonly (readonly [name: string, listener: (message: unknown) => void])[];
  readonly #unwatch: () => void;
  #last = 0;
  #timer: NodeJS.Timeout | null = null;
  #onLast: (() => void) | null = null;

  constructor(options: CountOptions) {
    this.#options = options;
    this.#isHere = options.isHere ?? isOwnAddress;
    this.#channels = [
      [sendsNow, (message) => this.#onSends(message)],
      ['undici:request:create', (message) => this.#onRequest(message)],
      ['undici:client:sendHeaders', (message) => this.#onHeaders(message)],
    ];
    for (const [name, listener] of this.#channels) subscribe(name, listener);
    this.#unwatch = onEachConnection((socket) => this.#onSocket(socket));
  }

  /** Notes what has moved since the last time. */
  settle(): void {
    for (const one of this.#live) this.#settleOne(one, 'now');
  }

  /** Counts no new connections. Those that are open are counted to their end, and then `onLast` is called. */
  stop(onLast: () => void = () => undefined): void {
    this.#unwatch();
    this.settle();
    for (const one of this.#live) if (this.#lineOf(one, 'more').isHere) this.#live.delete(one);
    this.#onLast = onLast;
    this.#endIfLast();
  }

  /** Call it when the process ends: every connection ends with it, and the system takes no more bytes. */
  finish(): void {
    for (const one of this.#live) this.#settleOne(one, 'closed');
    this.#live.clear();
  }

  #onSocket(socket: Socket): void {
    const reason = reasonNow();
    let name: string | null = null;
    socket.on('lookup', (_error: unknown, _address: unknown, _family: unknown, host: unknown) => {
      if (typeof host === 'string') name = host;
    });
    // Before whoever waits for the connection, so before the first byte.
    socket.prependOnceListener('connect', () => this.#begin(socket, reason, name));
  }

  #begin(socket: Socket, reason: SendReason, name: string | null): void {
    const handle = handleOf(socket);
    if (handle === null || this.#known.has(handle)) return;
    const { remoteAddress: address = null, remotePort: port = null } = socket;
    const one: Counted = {
      id: (this.#last += 1),
      socket,
      handle,
      address,
      port,
      name,
      reason,
      out: 0,
      in: 0,
      noted: this.#options.now(),
    };
    this.#known.set(handle, one);
    this.#live.add(one);
    onEnd(handle, () => {
      if (this.#live.delete(one)) this.#settleOne(one, 'closed');
      this.#endIfLast();
    });
    this.#timer ??= setInterval(() => this.#due(), everyMs).unref();
    const line = this.#lineOf(one, 'open');
    if (!line.isHere) this.#write(one, line);
  }

  #onRequest(message: unknown): void {
    const request = objectIn(message, 'request');
    if (request !== null) this.#requests.set(request, reasonNow());
  }

  /** A connection that stays open carries one request after the other: from here on it is this one's. */
  #onHeaders(message: unknown): void {
    const request = objectIn(message, 'request');
    const one = this.#countedIn(message);
    if (request === null || one === null) return;
    this.#settleOne(one, 'now');
    const reason = this.#requests.get(request) ?? reasonNow();
    const host = reason.host ?? hostOf(Reflect.get(request, 'origin'));
    one.reason = { ...reason, ...(host === undefined ? {} : { host }) };
    const body = bodyBytes(request);
    const head = String(Reflect.get(Object(message), 'headers')).length;
    const announced = body === null ? null : mostBytes(head, body, isSecure(message));
    const line = this.#lineOf(one, 'request', { announced });
    if (!line.isHere) this.#write(one, line);
  }

  #onSends(message: unknown): void {
    const one = this.#countedIn(message);
    if (one === null) return;
    this.#settleOne(one, 'now');
    one.reason = reasonNow();
  }

  #countedIn(message: unknown): Counted | null {
    const socket = objectIn(message, 'socket');
    const handle = socket === null ? null : handleOf(socket);
    const one = handle === null ? undefined : this.#known.get(handle);
    return one !== undefined && this.#live.has(one) ? one : null;
  }

  #due(): void {
    for (const one of this.#live) this.#settleOne(one, 'due');
    if (this.#live.size === 0) this.#rest();
  }

  #endIfLast(): void {
    if (this.#onLast === null || this.#live.size > 0) return;
    for (const [name, listener] of this.#channels) unsubscribe(name, listener);
    this.#rest();
    const onLast = this.#onLast;
    this.#onLast = null;
    onLast();
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #settleOne(one: Counted, how: 'closed' | 'due' | 'now'): void {
    const { bytesWritten, bytesRead, writeQueueSize } = one.handle;
    const sent = bytesWritten - writeQueueSize;
    const [out, into] = [sent - one.out, bytesRead - one.in];
    const line = this.#lineOf(one, how === 'closed' ? 'closed' : 'more', { out, in: into });
    if (how !== 'closed') {
      if (out <= 0 && into <= 0) return;
      const rest = line.isHere ? localMs : out > 0 ? 0 : calmMs;
      if (how === 'due' && line.at - one.noted < rest) return;
    }
    one.out = sent;
    one.in = bytesRead;
    one.noted = line.at;
    this.#write(one, line);
  }

  #write(one: Counted, line: SentLine): void {
    try {
      this.#options.note(line);
    } catch (error) {
      // What cannot be written down does not leave.
      this.#live.delete(one);
      one.socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #lineOf(one: Counted, state: SentLine['state'], more: Partial<SentLine> = {}): SentLine {
    const { host, passesOn: _passesOn, ...why } = one.reason;
    const to = host ?? one.name ?? one.address ?? 'this machine';
    const isHere = this.#staysHere(one, host);
    return {
      at: this.#options.now(),
      id: one.id,
      state,
      host: to,
      port: one.port,
      isHere,
      out: 0,
      in: 0,
      why,
      ...more,
    };
  }

  #staysHere(one: Counted, host: string | undefined): boolean {
    if (one.reason.passesOn === true) return false;
    const endsHere = one.address === null || this.#isHere(one.address);
    // Something on this machine, such as a proxy, takes it further.
    return endsHere && (host === undefined || host === one.name || isThisMachine(host) || this.#isHere(host));
  }
}

/** Null: nobody knows how long it is, as of a stream, or of what goes through a tunnel after it is open. */
function bodyBytes(request: object): number | null {
  if (Reflect.get(request, 'method') === 'CONNECT' || Boolean(Reflect.get(request, 'upgrade'))) return null;
  const length: unknown = Reflect.get(request, 'contentLength');
  if (typeof length === 'number') return length;
  return Reflect.get(request, 'body') === null ? 0 : null;
}

/** Whether the socket of a message has a layer of TLS. */
const isSecure = (message: unknown): boolean =>
  objectIn(objectIn(objectIn(message, 'socket'), '_handle'), '_parent') !== null;

/** A record of TLS has at most this much text, and this much around it. */
const tlsRecord = { text: 16_384, around: 64 };
/** The head, the last record, and the word that ends the connection are records of their own. */
const spareRecords = 8;

/** How many bytes a request takes at most, with the line about its length that is not in its head. */
function mostBytes(head: number, body: number, isEncrypted: boolean): number {
  const all = head + `content-length: ${body}\r\n\r\n`.length + body;
  return isEncrypted ? all + tlsRecord.around * (Math.ceil(all / tlsRecord.text) + spareRecords) : all;
}

function hostOf(origin: unknown): string | undefined {
  if (typeof origin !== 'string' && !(origin instanceof URL)) return undefined;
  return URL.parse(String(origin))?.hostname.replace(/^\[|\]$/gu, '');
}

function objectIn(message: unknown, name: string): object | null {
  const value: unknown = Reflect.get(Object(message), name);
  return typeof value === 'object' && value !== null ? value : null;
}

/** The handle of the TCP connection, below all layers of TLS. */
function handleOf(socket: object): Handle | null {
  let handle = objectIn(socket, '_handle');
  for (let below = handle; below !== null; below = objectIn(below, '_parent')) handle = below;
  return handle !== null && typeof Reflect.get(handle, 'bytesWritten') === 'number' ? (handle as Handle) : null;
}

/** Calls the listener while the counts can still be read: a closed handle has none. */
function onEnd(handle: Handle, listener: () => void): void {
  for (const name of ['close', 'reset']) {
    const end: unknown = Reflect.get(handle, name);
    if (typeof end !== 'function') continue;
    Reflect.set(handle, name, (...words: readonly unknown[]): unknown => {
      listener();
      return Reflect.apply(end, handle, words);
    });
  }
}
