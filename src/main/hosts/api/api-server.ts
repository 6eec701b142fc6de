import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { messageOf } from '@shared/errors.ts';
import { isOwnHost, isOwnOrigin, listenHere, loopback } from '../loopback-requests.ts';
import { type ApiCore, answerRequest, countRequest, sendFailure, sendJson, textsRequest } from './answer-request.ts';
import { chatCodec } from '../../models/wire/chat-codec.ts';
import { messagesCodec } from '../../models/wire/messages-codec.ts';
import { responsesCodec } from '../../models/wire/responses-codec.ts';
import type { AnsweringCodec } from '../../models/wire/wire-codec.ts';
import { readEmbeddingsCall, readRerankCall, type ReadTextsCall } from './texts-calls.ts';

export interface ApiServer {
  /** The address for programs: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Ends every connection and every call. */
  close(): Promise<void>;
}

/** Fixed, because programs keep the address in their settings. */
export const usualPort = 7717;

const mostConnections = 256;
/** Time limits for the head and the body of a request. An answer may take any time. */
const patience = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

const calls: ReadonlyMap<string, AnsweringCodec> = new Map<string, AnsweringCodec>([
  ['/v1/chat/completions', chatCodec],
  ['/v1/responses', responsesCodec],
  ['/v1/messages', messagesCodec],
]);
const texts: ReadonlyMap<string, (body: unknown) => ReadTextsCall> = new Map([
  ['/v1/embeddings', readEmbeddingsCall],
  ['/v1/rerank', readRerankCall],
]);
const countPath = '/v1/messages/count_tokens';

/**
 * Serves models to other programs of this machine, in the APIs that they know. Listens only on the loopback address,
 * and every call needs a key. Rejects if the port is taken.
 */
export async function startApiServer(core: ApiCore, { port }: { readonly port: number }): Promise<ApiServer> {
  const running = new Set<ServerResponse>();
  const http = createServer(patience, (request, response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
    // A client that is gone gets no answer.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    handle(core, request, response).catch((error: unknown) => {
      const { encodeFailure: failure } = codecOf(request);
      sendFailure(response, failure, { status: 500, code: 'failed', message: messageOf(error) });
    });
  });
  http.maxConnections = mostConnections;
  const actualPort = await listenHere(http, port);
  return {
    url: `http://${loopback}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        for (const response of running) response.destroy();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

const pathOf = ({ url }: IncomingMessage): string => (url ?? '/').split('?')[0] ?? '/';

/** Errors outside of a call are written in the form of the client that seems to ask. */
function codecOf(request: IncomingMessage): AnsweringCodec {
  const isAnthropic = request.headers['anthropic-version'] !== undefined;
  return calls.get(pathOf(request)) ?? (isAnthropic || pathOf(request) === countPath ? messagesCodec : chatCodec);
}

async function handle(core: ApiCore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request);
  const { encodeFailure: failure } = codecOf(request);
  const refuse = (status: number, code: Parameters<typeof sendFailure>[2]['code'], message: string): void =>
    sendFailure(response, failure, { status, code, message });
  // No web page may ask, whatever it knows: neither under another name of this machine, nor from another site.
  if (!isOwnHost(request) || !isOwnOrigin(request))
    return refuse(403, 'forbidden', 'Only programs of this machine may ask, by 127.0.0.1 or localhost.');
  const codec = path === countPath ? messagesCodec : calls.get(path);
  if (codec !== undefined) {
    if (request.method !== 'POST') return refuse(405, 'wrong-method', `${path} takes POST.`);
    const answer = path === countPath ? countRequest : answerRequest;
    return answer(core, codec, { request, key: keyOf(request) }, response);
  }
  if (path === '/v1/models' || path.startsWith('/v1/models/')) {
    if (request.method !== 'GET') return refuse(405, 'wrong-method', `${path} takes GET.`);
    return sendModels(core, request, response);
  }
  const read = texts.get(path);
  if (read !== undefined) {
    if (request.method !== 'POST') return refuse(405, 'wrong-method', `${path} takes POST.`);
    return textsRequest(core, read, { request, key: keyOf(request), failure }, response);
  }
  return refuse(
    404,
    'not-found',
    `There is no ${path} here. There are: ${[...calls.keys(), ...texts.keys(), countPath].join(', ')} and /v1/models.`,
  );
}

/** One form that both kinds of clients can read. */
async function sendModels(core: ApiCore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { encodeFailure: failure } = codecOf(request);
  const found = await core.endpoint.models({ key: keyOf(request) });
  if (found === null) {
    return sendFailure(response, failure, { status: 401, code: 'wrong-key', message: 'This key is not known.' });
  }
  const entries = found.map(({ id, label, contextTokens }) => ({
    id,
    object: 'model',
    type: 'model',
    // Clients expect a date, but none is known.
    created: 0,
    created_at: new Date(0).toISOString(),
    display_name: label,
    owned_by: id.split('/')[0] ?? '',
    ...(contextTokens === null ? {} : { context_window: contextTokens, max_input_tokens: contextTokens }),
  }));
  const one = decodeURIComponent(pathOf(request).slice('/v1/models/'.length));
  if (one === '') {
    const [first, last] = [entries[0]?.id ?? null, entries.at(-1)?.id ?? null];
    return sendJson(response, { object: 'list', data: entries, has_more: false, first_id: first, last_id: last });
  }
  const entry = entries.find(({ id }) => id === one);
  if (entry !== undefined) return sendJson(response, entry);
  return sendFailure(response, failure, {
    status: 404,
    code: 'unknown-model',
    message: `The model ${one} was not found.`,
  });
}

/** The key, as either kind of client sends it. */
function keyOf({ headers }: IncomingMessage): string {
  const given = headers['x-api-key'] ?? /^Bearer (?<key>\S+)$/iu.exec(headers.authorization ?? '')?.groups?.key;
  // A value that is longer than any key is simply wrong.
  return typeof given === 'string' && given.length > 0 && given.length <= 200 ? given : '-';
}
