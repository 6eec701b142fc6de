import { connect, createServer } from 'node:net';
import type { OutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';

/** A request as a strict parser reads it from raw bytes. */
export interface RawRequest {
  readonly path: string;
  readonly host: string;
  readonly names: readonly string[];
  readonly body: string;
}

/** What arrived on one connection: whole requests, and the bytes after the last of them. */
export interface RawRead {
  readonly requests: readonly RawRequest[];
  readonly rest: string;
}

/** A server that keeps every byte, with the only connection to it. It answers each connection once, with `answer`. */
export interface RawUpstream {
  readonly outward: OutboundConnections;
  /** One entry for each opened connection, in order. */
  readonly reads: () => readonly RawRead[];
  close(): Promise<void>;
}

const usualAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

export async function rawUpstream(answer = usualAnswer, { isEnded = false } = {}): Promise<RawUpstream> {
  const connections: Buffer[][] = [];
  const server = createServer((socket) => {
    const chunks: Buffer[] = [];
    connections.push(chunks);
    let isAnswered = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      if (isAnswered || readRequests(chunks).requests.length === 0) return;
      isAnswered = true;
      socket.write(Buffer.from(answer, 'latin1'));
      if (isEnded) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    reads: () => connections.map(readRequests),
    outward: {
      certificates: () => Promise.resolve(''),
      resolve: () => Promise.resolve(['203.0.113.7']),
      proxyFor: () => null,
      connectProxy: () => Promise.reject(new Error('There is none.')),
      connect: () =>
        new Promise((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket));
          socket.once('error', reject);
          socket.on('error', () => undefined);
        }),
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Accepts only what every reader understands in the same way: one framing, whole lines, no extensions. Everything else
 * is `rest`.
 */
function readRequests(chunks: readonly Buffer[]): RawRead {
  let text = Buffer.concat(chunks).toString('latin1');
  const requests: RawRequest[] = [];
  for (;;) {
    const head =
      /^([A-Z]+) ([\x21-\x7e]+) HTTP\/1\.1\r\n((?:[\w!#$%&'*+.^`|~-]+: ?[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n/.exec(text);
    if (head === null) return { requests, rest: text };
    const fields = (head[3] ?? '').split('\r\n').filter((line) => line !== '');
    const names = fields.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    const value = (name: string): string | null => {
      const lines = fields.filter((_line, index) => names[index] === name);
      return lines.length === 1 ? (lines[0]?.slice(name.length + 1).trim() ?? null) : null;
    };
    const framing = names.filter((name) => name === 'content-length' || name === 'transfer-encoding');
    const body = framing.length > 1 ? null : bodyOf(text.slice(head[0].length), value);
    if (body === null) return { requests, rest: text };
    requests.push({ path: head[2] ?? '', host: value('host') ?? '', names, body: body.text });
    text = text.slice(head[0].length + body.size);
  }
}

function bodyOf(
  text: string,
  value: (name: string) => string | null,
): { readonly text: string; readonly size: number } | null {
  const length = Number(value('content-length') ?? 0);
  if (value('transfer-encoding') !== 'chunked')
    return text.length < length ? null : { text: text.slice(0, length), size: length };
  let body = '';
  for (let at = 0; ;) {
    const line = /^([0-9a-fA-F]+)\r\n/.exec(text.slice(at));
    if (line === null) return null;
    const size = Number.parseInt(line[1] ?? '', 16);
    const start = at + line[0].length;
    if (text.slice(start + size, start + size + 2) !== '\r\n') return null;
    body += text.slice(start, start + size);
    at = start + size + 2;
    if (size === 0) return { text: body, size: at };
  }
}
