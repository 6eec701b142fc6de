import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { untilDrained } from '../../lib/async/until-drained.ts';
import type { ReadTextsCall } from './texts-calls.ts';
import { WireProblem } from '../../models/wire/decode-parts.ts';
import type { AnsweringCodec, AnswerEncoder, DecodedCall, WireFailure } from '../../models/wire/wire-codec.ts';

/** Enough for a long conversation with some images. */
const mostBytes = 32 * 1024 * 1024;
/** Limit for all bodies that are being read, so that parallel requests do not fill the memory. */
const mostBytesOfAll = 128 * 1024 * 1024;
/** After this time a stream starts even without text, because clients give up on a silent one. */
const silenceMs = 10_000;

/** What the server needs of the core. */
export interface ApiCore {
  readonly endpoint: Pick<CoreClient['endpoint'], 'knows' | 'models' | 'answer' | 'count' | 'readTexts'>;
}

interface ClientRequest {
  readonly request: IncomingMessage;
  readonly key: string;
}

let bytesOfAll = 0;

type Failed = Extract<EndpointPush, { type: 'failed' }>;

/** Reads one call, gets its answer, and writes it. If the client goes away, the call ends within a moment. */
export async function answerRequest(
  core: ApiCore,
  codec: AnsweringCodec,
  { request, key }: ClientRequest,
  response: ServerResponse,
): Promise<void> {
  const gone = goneSignal(response);
  const read = await readCall(core, codec.decodeRequest, { request, key });
  if ('status' in read) return sendFailure(response, codec.encodeFailure, read);
  const writer = codec.encodeAnswer({ ...read, id: randomBytes(12).toString('hex'), at: Date.now() });
  const pushes = await core.endpoint.answer({ key, call: read.call }, { signal: gone });
  const out = createOutput(response, writer, read.isStream);
  try {
    for await (const push of pushes) {
      if (gone.aborted) return;
      if (push.type === 'failed') return out.fail(codec.encodeFailure, push);
      if (push.type === 'ended') out.end(push);
      else await out.said(push);
    }
  } catch (error) {
    // A client that is gone gets no answer.
    if (!gone.aborted) throw error;
  } finally {
    out.stop();
  }
}

/** Returns how many tokens the prompt of a call has, without making the call. */
export async function countRequest(
  core: ApiCore,
  codec: AnsweringCodec,
  { request, key }: ClientRequest,
  response: ServerResponse,
): Promise<void> {
  const gone = goneSignal(response);
  // The length of an answer is not part of the prompt.
  const decode = (body: unknown): DecodedCall => codec.decodeRequest({ max_tokens: 1, ...Object(body) });
  const read = await readCall(core, decode, { request, key });
  if ('status' in read) return sendFailure(response, codec.encodeFailure, read);
  const counted = await core.endpoint.count({ key, call: read.call }, { signal: gone });
  if (counted.ok) return sendJson(response, { input_tokens: counted.tokens });
  return sendFailure(response, codec.encodeFailure, wireFailure(counted.failure), counted.failure.retryAfterMs);
}

/** Handles calls whose answer comes as a whole: vectors and scores of texts. */
export async function textsRequest(
  core: ApiCore,
  read: (body: unknown) => ReadTextsCall,
  { request, key, failure }: ClientRequest & { readonly failure: AnsweringCodec['encodeFailure'] },
  response: ServerResponse,
): Promise<void> {
  const gone = goneSignal(response);
  const call = await readCall(core, read, { request, key });
  if ('status' in call) return sendFailure(response, failure, call);
  const done = await core.endpoint.readTexts({ key, texts: call.texts }, { signal: gone });
  if (!done.ok) return sendFailure(response, failure, wireFailure(done.failure), done.failure.retryAfterMs);
  const written = problemOr(() => call.write(done));
  return 'status' in written ? sendFailure(response, failure, written) : sendJson(response, written.value);
}

function problemOr(write: () => unknown): WireFailure | { readonly value: unknown } {
  try {
    return { value: write() };
  } catch (error) {
    if (error instanceof WireProblem) return { status: 400, code: 'bad-request', message: error.message };
    throw error;
  }
}

/** Aborts when the client no longer waits. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

interface Output {
  /** Resolves when the client has taken the piece. */
  readonly said: (push: Parameters<AnswerEncoder['said']>[0]) => Promise<void>;
  readonly end: (push: Parameters<AnswerEncoder['end']>[0]) => void;
  readonly fail: (form: AnsweringCodec['encodeFailure'], push: Failed) => void;
  readonly stop: () => void;
}

function createOutput(response: ServerResponse, writer: AnswerEncoder, isStream: boolean): Output {
  const begin = (): void => {
    if (!isStream || response.headersSent) return;
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(writer.start());
  };
  const timer = setInterval(() => {
    if (!isStream || response.destroyed || response.writableEnded) return;
    begin();
    response.write(writer.pause);
  }, silenceMs);
  return {
    said: async (push) => {
      begin();
      const text = writer.said(push);
      if (!isStream || text === '' || response.write(text)) return;
      await untilDrained(response);
    },
    end: (push) => {
      begin();
      if (isStream) response.end(writer.end(push));
      else sendJson(response, writer.whole(push));
    },
    fail: (form, push) => {
      const failure = wireFailure(push);
      if (response.headersSent) response.end(writer.broken(failure));
      else sendFailure(response, form, failure, push.retryAfterMs);
    },
    stop: () => clearInterval(timer),
  };
}

const statuses: Readonly<Record<EndpointFailure['code'], number>> = {
  'wrong-key': 401,
  'unknown-model': 404,
  'not-allowed': 403,
  fenced: 403,
  limit: 429,
  'bad-request': 400,
  'too-long': 400,
  busy: 429,
  'rate-limit': 429,
  unavailable: 503,
  failed: 500,
};

function wireFailure({ code, message }: EndpointFailure): WireFailure {
  return { status: statuses[code], code, message };
}

/** The key comes first: of a program that nobody has let in, no byte of a body is read. Then size and depth. */
async function readCall<Call = DecodedCall>(
  core: ApiCore,
  decode: (body: unknown) => Call,
  { request, key }: ClientRequest,
): Promise<Call | WireFailure> {
  if (!(await core.endpoint.knows({ key }))) {
    return { status: 401, code: 'wrong-key', message: 'This key is not known.' };
  }
  const body = await readBody(request);
  if (body === null) {
    const message = `The body is larger than ${mostBytes / 1024 / 1024} MiB, or too much is being sent at once.`;
    return { status: 413, code: 'too-large', message };
  }
  if (isDeep(body)) {
    return { status: 400, code: 'bad-request', message: `The body is nested deeper than ${mostDepth} levels.` };
  }
  try {
    return decode(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 400, code: 'bad-request', message: 'The body is no JSON.' };
    if (error instanceof WireProblem) return { status: 400, code: 'bad-request', message: error.message };
    throw error;
  }
}

/** No real call is nested so deeply, and reading one that is costs everybody time. */
const mostDepth = 100;

/** Looks at the brackets of a JSON text outside of its strings, in one pass. */
function isDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (!isText && (sign === '[' || sign === '{')) depth += 1;
    else if (!isText && (sign === ']' || sign === '}')) depth -= 1;
    if (depth > mostDepth) return true;
  }
  return false;
}

/** Null: the body is too large. The rest of it is not read. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      bytesOfAll += piece.length;
      if (bytes > mostBytes || bytesOfAll > mostBytesOfAll) return null;
      chunks.push(piece);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    bytesOfAll -= bytes;
  }
}

/** No other site may read the answer, and it is not cached. */
const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function sendFailure(
  response: ServerResponse,
  form: AnsweringCodec['encodeFailure'],
  failure: WireFailure,
  retryAfterMs?: number,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const isWorthTrying = failure.code === 'busy' || failure.code === 'rate-limit' || failure.code === 'unavailable';
  response.writeHead(failure.status, {
    ...headers,
    'content-type': 'application/json',
    // Clients retry failures that they take for temporary. A spending limit is not.
    'x-should-retry': String(isWorthTrying),
    ...(retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) }),
    // The rest of the body is not read.
    ...(failure.code === 'too-large' || failure.code === 'wrong-key' ? { connection: 'close' } : {}),
  });
  response.end(JSON.stringify(form(failure)));
}
