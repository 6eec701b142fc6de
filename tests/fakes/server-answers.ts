import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderError, StreamEnded } from '../../src/main/models/providers/define.ts';

/**
 * Servers as they really are: slow, cut, oddly written, behind proxies, at wrong addresses. Each row says how a server
 * behaves, and the one right end of a call to it. `tests/contracts/made-servers.test.ts`
 * uses this table.
 */
export interface MadeServer {
  readonly name: string;
  readonly answer: (response: ServerResponse, message: IncomingMessage) => void;
  readonly expected: ExpectedEnd;
  /** After the server's origin. Absent: `/v1`. */
  readonly path?: string;
  readonly where?: 'local' | 'cloud';
  /** Seconds, in place of a real wait. */
  readonly firstWordSeconds?: number;
  /** How the server is reached. Absent: at 127.0.0.1, without a proxy. */
  readonly way?: 'ipv6' | 'nobody' | 'proxy-403' | 'proxy-407' | 'proxy-away' | 'password';
}

export interface ExpectedEnd {
  readonly text?: string;
  readonly thoughts?: string;
  /** `NAME INPUT`, the input as JSON. */
  readonly calls?: readonly string[];
  readonly stopReason?: StreamEnded['stopReason'];
  readonly isEstimated?: boolean;
  readonly cutCall?: StreamEnded['cutCall'];
  readonly error?: Partial<Omit<ProviderError, 'message'>> & { readonly words: RegExp };
}

export type Delta = Readonly<Record<string, unknown>>;

export const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
export const chunk = (delta: Delta, finish: string | null = null, more: Delta = {}): string =>
  JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
export const frames = (...chunks: readonly string[]): string => chunks.map((one) => `data: ${one}\n\n`).join('');
export const done = 'data: [DONE]\n\n';
export const hello = [
  chunk({ role: 'assistant', content: 'Hel' }),
  chunk({ content: 'lo.' }),
  chunk({}, 'stop', { usage }),
];
export const whole = frames(...hello) + done;
export const call = (more: Delta): Delta => ({ index: 0, id: 'c1', type: 'function', ...more });
export const read = (args: unknown): Delta => ({ name: 'read_file', arguments: args });
export const calls = (...parts: readonly Delta[]): string => chunk({ tool_calls: parts });
export const ended = (reason = 'tool_calls'): string => chunk({}, reason, { usage });
export const said = (text: string, reason = 'stop'): string =>
  frames(chunk({ content: text }), chunk({}, reason, { usage }));

export type Send = (response: ServerResponse, message: IncomingMessage) => void;
export const sse =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Send =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(body);
export const json =
  (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Send =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
export const page =
  (status: number, title: string, type = 'text/html'): Send =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': type })
      .end(`<html>\r\n<head><title>${title}</title></head><body><h1>${title}</h1><hr>nginx</body></html>`);
export const refusal = (message: string, type = 'error'): unknown => ({ error: { message, type } });
/** Sends each piece by itself. */
export const pieces =
  (all: readonly (string | Buffer)[]): Send =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (at: number): void => {
      const piece = all[at];
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next, at + 1));
    };
    next(0);
  };
export const cut =
  (body: string): Send =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(body, () => setTimeout(() => response.destroy(), 20));
  };
export const onlyAt =
  (path: RegExp, send: Send): Send =>
  (response, message) =>
    path.test(message.url ?? '') ? send(response, message) : json(404, { detail: 'Not Found' })(response, message);
export const never: Send = () => undefined;

export const fine: ExpectedEnd = { text: 'Hello.', stopReason: 'stop', isEstimated: false };
export const oneCall: ExpectedEnd = { calls: ['read_file {"path":"a.py"}'], stopReason: 'tool-calls' };
export const fails = (code: ProviderError['code'], retryable: boolean, words: RegExp): ExpectedEnd => ({
  error: { code, retryable, words },
});
