import type { Socket } from 'node:net';
import type { Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readClientHello } from './client-hello.ts';
import type { NetworkReason } from './network-decision.ts';
import { judgeTarget } from './judge-target.ts';
import { answerClient, openTarget, refusalText, type ProxyContext } from './proxy-context.ts';

const helloMs = 30_000;

interface Client {
  readonly client: Duplex;
  readonly head: Buffer;
}

/**
 * Serves a `CONNECT`: TLS to a listed host. The name in the client's first message is checked before any byte goes
 * out. Never rejects.
 */
export async function connectThrough(work: ProxyContext, target: string, { client, head }: Client): Promise<void> {
  const judged = judgeTarget(target, 443, work.hosts);
  if (!judged.ok) {
    work.traffic.refuse(judged.shown, judged.port, judged.reason);
    answerClient(client, 403, refusalText(judged.reason));
    return;
  }
  const attempt = work.traffic.begin(judged.host, 443);
  const dialled = await openTarget(work, attempt, { host: judged.host, port: 443 });
  if (!dialled.ok) {
    answerClient(client, dialled.reason === 'inner-address' ? 403 : 502, refusalText(dialled.reason));
    return;
  }
  const { socket: server } = dialled;
  const end = endBoth(work, client, server);
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const hello = await clientHelloOf(client, head, work.signal);
  if (hello.reason !== null || hello.name?.toLowerCase() !== judged.host) {
    attempt.end(hello.reason ?? 'other-name');
    end();
    return;
  }
  if (!attempt.addSent(hello.bytes.length)) {
    end();
    return;
  }
  server.write(hello.bytes);
  const over = sendOn(client, attempt.sent(), server);
  await Promise.allSettled([over, pipeline(server, attempt.received(), client)]);
  attempt.end('listed');
  end();
}

/**
 * Sends the client's data to the server. Resolves when nothing more can go there. If the server ends, the client
 * stays open (a pipeline would destroy it), because the server's last data is still on its way. Exceeding the limit
 * ends both.
 */
function sendOn(client: Duplex, meter: Transform, server: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      client.unpipe(meter).resume();
      meter.destroy();
      resolve();
    };
    server.on('error', () => undefined).once('close', end);
    client.once('close', end);
    meter.once('error', () => {
      client.destroy();
      server.destroy();
    });
    client.pipe(meter).pipe(server);
    if (server.closed || client.closed) end();
  });
}

function endBoth(work: ProxyContext, client: Duplex, server: Socket): () => void {
  const end = (): void => {
    work.signal.removeEventListener('abort', end);
    client.destroy();
    server.destroy();
  };
  work.signal.addEventListener('abort', end, { once: true });
  client.once('close', () => server.destroy());
  server.once('close', () => work.signal.removeEventListener('abort', end));
  return end;
}

interface Hello {
  readonly bytes: Buffer;
  readonly name: string | null;
  readonly reason: NetworkReason | null;
}

/** Waits for the client's first message and removes it from the stream. */
function clientHelloOf(client: Duplex, head: Buffer, signal: AbortSignal): Promise<Hello> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [head];
    let count = head.length;
    let wholeAt = 0;
    const settle = (name: string | null, reason: NetworkReason | null): void => {
      clearTimeout(timer);
      client.off('readable', look).off('close', onEnd).off('end', onEnd);
      signal.removeEventListener('abort', onEnd);
      resolve({ bytes: Buffer.concat(chunks), name, reason });
    };
    const onEnd = (): void => settle(null, 'not-tls');
    const look = (): void => {
      for (let chunk: unknown = client.read(); Buffer.isBuffer(chunk); chunk = client.read()) {
        chunks.push(chunk);
        count += chunk.length;
      }
      // A hello that arrives in tiny pieces is not parsed again for each of them.
      if (count < wholeAt) return;
      const bytes = Buffer.concat(chunks);
      chunks.splice(0, chunks.length, bytes);
      const found = readClientHello(bytes);
      if (found.type === 'more') wholeAt = found.wholeAt;
      if (found.type === 'bad') settle(null, 'not-tls');
      if (found.type === 'hello') settle(found.name, found.isHidden ? 'other-name' : null);
    };
    const timer = setTimeout(() => settle(null, 'timed-out'), helloMs);
    client.on('readable', look).once('close', onEnd).once('end', onEnd);
    signal.addEventListener('abort', onEnd, { once: true });
    if (signal.aborted || client.destroyed || client.readableEnded) onEnd();
    else look();
  });
}
