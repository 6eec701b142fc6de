import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { AppError } from '@shared/errors.ts';

/** Receives the browser after a sign-in: only on this machine, at a random port, for one answer. */
export interface RedirectListener {
  readonly redirectUrl: string;
  /** Only an answer with this value is accepted. */
  readonly state: string;
  /** The parameters of the answer with the right state. Rejects with the signal's reason, and with `timeout`. */
  readonly answer: Promise<URLSearchParams>;
  /** Takes an address that the user pasted from a browser on another machine. Throws if it is not the answer. */
  readonly deliver: (address: string) => void;
  readonly close: () => void;
}

const path = '/callback';
const longestAddress = 20_000;

export interface RedirectOptions {
  readonly signal: AbortSignal;
  readonly waitMs: number;
  /** Puts the state into the path, for services that do not send it back. */
  readonly hasStateInPath?: boolean;
}

export async function openRedirectListener({
  signal,
  waitMs,
  hasStateInPath = false,
}: RedirectOptions): Promise<RedirectListener> {
  const state = randomBytes(32).toString('base64url');
  const read = hasStateInPath ? answerAt : answerIn;
  let settle: { readonly resolve: (answer: URLSearchParams) => void; readonly reject: (why: unknown) => void };
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // It may reject before anybody awaits it.
  answer.catch(() => undefined);
  const server = createServer({ maxHeaderSize: longestAddress + 4096 }, (request, response) => {
    const found = isToUs(request, port) ? read(request.url ?? '', state) : null;
    reply(response, found !== null);
    if (found !== null) settle.resolve(found);
  });
  server.maxConnections = 20;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const minutes = Math.max(1, Math.round(waitMs / 60_000));
  const late = new AppError('timeout', `Nobody signed in within ${minutes} min. Nothing was changed.`);
  const timer = setTimeout(() => settle.reject(late), waitMs);
  const stop = (): void => settle.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return {
    redirectUrl: `http://127.0.0.1:${port}${path}${hasStateInPath ? `/${state}` : ''}`,
    state,
    answer,
    deliver: (address) => {
      const url = URL.parse(address.trim().slice(0, longestAddress));
      const found = url === null ? null : read(`${url.pathname}${url.search}`, state);
      if (found !== null) return settle.resolve(found);
      throw new AppError('bad-input', 'This is not the address that the sign-in ended at. It still waits.', {
        hint: `It begins with http://127.0.0.1:${port}${path} and stands in the browser’s address bar.`,
      });
    },
    close: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      server.close();
      // Lets an answer in progress finish. Other connections that the browser keeps open are closed.
      setTimeout(() => server.closeAllConnections?.(), 200).unref();
    },
  };
}

/** Web pages can make a browser call this port under a host name of their own. */
function isToUs({ method, headers }: IncomingMessage, port: number): boolean {
  return method === 'GET' && headers.host === `127.0.0.1:${port}`;
}

/** Null for anything but a complete answer with this state, so that others can neither answer nor end the wait. */
function answerIn(target: string, state: string): URLSearchParams | null {
  const url = URL.parse(`http://127.0.0.1${target}`);
  if (url?.pathname !== path) return null;
  const { searchParams } = url;
  return isWhole(searchParams) && isEqual(searchParams.get('state') ?? '', state) ? searchParams : null;
}

/** The same for a state that is part of the path. */
function answerAt(target: string, state: string): URLSearchParams | null {
  const url = URL.parse(`http://127.0.0.1${target}`);
  return url !== null && isWhole(url.searchParams) && isEqual(url.pathname, `${path}/${state}`)
    ? url.searchParams
    : null;
}

function isWhole(given: URLSearchParams): boolean {
  const isOnce = ['state', 'code', 'iss', 'error'].every((name) => given.getAll(name).length <= 1);
  return isOnce && given.has('code') !== given.has('error');
}

function isEqual(given: string, state: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(state)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function reply(response: ServerResponse, isTaken: boolean): void {
  const text = isTaken
    ? 'You can close this tab and go back to Dewpoint.'
    : 'This is no answer that Dewpoint waits for.';
  response.writeHead(isTaken ? 200 : 400, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Dewpoint</title><p>${text}</p>\n`);
}
