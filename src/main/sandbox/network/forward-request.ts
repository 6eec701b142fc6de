import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { NetworkReason } from './decision.ts';
import { judgeTarget } from './judge-target.ts';
import { reach, refusalText, type ProxyWork } from './proxy-work.ts';
import type { Attempt } from './traffic.ts';
import { proxyCredentials } from './upstream-proxy.ts';

const answerMs = 120_000;

/** Belong to one connection, or to the way through a proxy; never passed on. */
const ownHeaders: readonly string[] = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
];

/** Serves a plain request: read whole, decided, and written anew on a connection of its own. Never rejects. */
export async function forwardRequest(
  work: ProxyWork,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => undefined);
  const url = /^http:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? '');
  const judged = url === null ? null : judgeTarget(url[1] ?? '', 80, work.hosts);
  if (url === null || judged === null) {
    work.traffic.refuse('', null, 'bad-request');
    answerRequest(response, 400, 'bad-request');
    return;
  }
  if (!judged.ok) {
    work.traffic.refuse(judged.shown, judged.port, judged.reason);
    answerRequest(response, 403, judged.reason);
    return;
  }
  const attempt = work.traffic.begin(judged.host, 80);
  const dialled = await reach(work, attempt, { host: judged.host, port: 80 });
  if (!dialled.ok) {
    answerRequest(response, dialled.reason === 'inner-address' ? 403 : 502, dialled.reason);
    return;
  }
  const { socket, proxy } = dialled;
  const rest = url[2] ?? '';
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const onAbort = (): void => void socket.destroy();
  work.signal.addEventListener('abort', onAbort, { once: true });
  try {
    await exchange({
      request,
      response,
      attempt,
      socket,
      host: judged.host,
      path: proxy === null ? path : `http://${judged.host}${path}`,
      credentials: proxy === null ? null : proxyCredentials(proxy),
    });
  } catch {
    if (response.headersSent) response.destroy();
    else answerRequest(response, 502, 'unreachable');
  } finally {
    // Where a limit cut it, the attempt has said so already.
    attempt.end('listed');
    work.signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly attempt: Attempt;
  readonly socket: Socket;
  readonly host: string;
  readonly path: string;
  readonly credentials: string | null;
}

async function exchange(work: Exchange): Promise<void> {
  const { request, response, attempt, socket, host, path, credentials } = work;
  const headers = passedOn(request);
  const head = JSON.stringify(headers).length + path.length;
  if (!attempt.addSent(head)) throw new Error('More than this command may send.');
  const hasBody = request.headers['transfer-encoding'] !== undefined;
  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method ?? 'GET',
    path,
    headers: {
      ...headers,
      host,
      connection: 'close',
      ...(hasBody ? { 'transfer-encoding': 'chunked' } : {}),
      ...(credentials === null ? {} : { 'proxy-authorization': credentials }),
    },
    setHost: false,
    timeout: answerMs,
  });
  outgoing.on('timeout', () => outgoing.destroy());
  const incoming = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing
      .on('response', resolve)
      .on('error', reject)
      .on('close', () => reject(new Error('It was cut.')));
  });
  const sending = pipeline(request, attempt.sent(), outgoing);
  // A host may answer before it has read everything, and close.
  sending.catch(() => undefined);
  const answered = await incoming;
  response.writeHead(answered.statusCode ?? 502, passedOn(answered));
  await pipeline(answered, attempt.received(), response);
}

function passedOn(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const entries = Object.entries(message.headersDistinct).flatMap(([name, values]) =>
    values === undefined || ownHeaders.includes(name) || named.includes(name) ? [] : [[name, values] as const],
  );
  return Object.fromEntries(entries);
}

function answerRequest(response: ServerResponse, status: number, reason: NetworkReason): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`Dewpoint: ${refusalText(reason)}.\n`);
}
