import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { NetworkReason } from './network-decision.ts';
import { judgeTarget } from './judge-target.ts';
import { answerHead, longestHead, requestHead, type HttpHead } from './http-head.ts';
import { openTarget, refusalText, type ProxyContext } from './proxy-context.ts';
import type { Attempt } from './network-traffic.ts';
import { proxyCredentials } from './upstream-proxy.ts';

/**
 * Host and port, then the rest. Each character can match in only one place, so a long text that does not match costs
 * little.
 */
const asked = /^http:\/\/([^/?#]*)((?:[/?][\x21\x22\x24-\x7e]*)?)$/i;
/** The most interim answers of a host. */
const mostInterim = 32;

/**
 * Serves a plain request. Its head is parsed completely, checked and rewritten on a connection of its own. The
 * length of the body is set by us and enforced. Never rejects.
 */
export async function forwardRequest(
  work: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => undefined);
  // While it waited for its turn, the client may have gone, or an earlier answer was the last.
  if (request.socket.destroyed || request.socket.writableEnded) return;
  // After a request for an upgrade, the parser cannot tell where the next request begins. So the connection ends, and
  // the client must open another.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  const head = requestHead(request);
  const url = asked.exec(request.url ?? '');
  const judged = url === null ? null : judgeTarget(url[1] ?? '', 80, work.hosts);
  if (head === null || url === null || judged === null) {
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
  const dialled = await openTarget(work, attempt, { host: judged.host, port: 80 });
  if (!dialled.ok) {
    answerRequest(response, dialled.reason === 'inner-address' ? 403 : 502, dialled.reason);
    return;
  }
  const { socket, proxy } = dialled;
  const rest = url[2] ?? '';
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const onAbort = (): void => void socket.destroy();
  work.signal.addEventListener('abort', onAbort, { once: true });
  // If the client has gone, nothing is sent to the host or kept open.
  response.once('close', onAbort);
  if (response.closed) onAbort();
  try {
    await exchange({
      request,
      response,
      head,
      attempt,
      socket,
      idleMs: work.limits.idleMs,
      host: judged.host,
      path: proxy === null ? path : `http://${judged.host}${path}`,
      credentials: proxy === null ? null : proxyCredentials(proxy),
    });
  } catch {
    // The command learns that the host did not answer.
    if (response.headersSent) response.destroy();
    else answerRequest(response, 502, 'unreachable');
  } finally {
    // If a limit ended it, the attempt has ended already and this has no effect.
    attempt.end('listed');
    work.signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: HttpHead;
  readonly attempt: Attempt;
  readonly socket: Socket;
  readonly idleMs: number;
  readonly host: string;
  readonly path: string;
  readonly credentials: string | null;
}

async function exchange(work: Exchange): Promise<void> {
  const { request, response, head, attempt } = work;
  if (!attempt.addSent(JSON.stringify(head.headers).length + work.path.length))
    throw new Error('More than this command may send.');
  const outgoing = openRequest(work);
  const incoming = answerOf(outgoing);
  const sending =
    head.length === null
      ? pipeline(request, attempt.sent(), outgoing)
      : pipeline(request, exactly(head.length), attempt.sent(), outgoing);
  // A host may answer and close before it has read everything.
  sending.catch(() => undefined);
  const answered = await incoming;
  const answer = answerHead(answered);
  if (answer === null) {
    answerRequest(response, 502, 'bad-request');
    return;
  }
  const status = answered.statusCode ?? 502;
  const framing = answer.length === null || status === 204 ? {} : { 'content-length': answer.length };
  response.writeHead(status, { ...answer.headers, ...framing });
  await pipeline(answered, attempt.received(), response);
}

function openRequest({ request, head, socket, idleMs, host, path, credentials }: Exchange): ClientRequest {
  const method = request.method ?? 'GET';
  const isCounted = (head.length ?? 0) > 0 || !['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE'].includes(method);
  const framing =
    head.length === null ? { 'transfer-encoding': 'chunked' } : isCounted ? { 'content-length': head.length } : {};
  const outgoing = httpRequest({
    createConnection: () => socket,
    method,
    path,
    headers: {
      ...head.headers,
      ...framing,
      host,
      connection: 'close',
      ...(credentials === null ? {} : { 'proxy-authorization': credentials }),
    },
    setHost: false,
    timeout: idleMs,
    maxHeaderSize: longestHead,
    insecureHTTPParser: false,
  });
  outgoing.maxHeadersCount = 0;
  return outgoing;
}

function answerOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  let interim = 0;
  outgoing.on('timeout', () => outgoing.destroy());
  outgoing.on('information', () => {
    interim += 1;
    if (interim > mostInterim) outgoing.destroy();
  });
  return new Promise((resolve, reject) => {
    outgoing
      .on('response', resolve)
      .on('error', reject)
      .on('close', () => reject(new Error('It was cut.')));
  });
}

/**
 * Passes exactly this many bytes, and fails otherwise. So a body has the length in its head, whoever counted before.
 */
function exactly(length: number): Transform {
  let left = length;
  const failed = (): Error => new Error('The body is not as long as was said.');
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      left -= chunk.length;
      if (left < 0) done(failed());
      else done(null, chunk);
    },
    flush: (done) => (left === 0 ? done() : done(failed())),
  });
}

function answerRequest(response: ServerResponse, status: number, reason: NetworkReason): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`Dewpoint: ${refusalText(reason)}.\n`);
}
