import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { lookupOnThisMachine, type Lookup } from './own-lookup.ts';
import { PermanentError } from './permanent-error.ts';
import { proxyFor, type ChosenProxy, type Env } from './proxy-choice.ts';
import { rootCause } from './root-cause.ts';
import { reasonNow } from './send-reason.ts';
import { safeAnswers } from './safe-answers.ts';

export interface Connection {
  /** The address of a proxy; null: use the usual environment variables. */
  readonly proxy: string | null;
  /** A file of certificates (PEM) to trust in addition to the usual ones. */
  readonly certificates: string | null;
}

export interface Reach {
  /**
   * Milliseconds without a header or without a piece of the body, for callers that have limits of their own; 0: no
   * limit. Absent: 300 s.
   */
  readonly silenceMs?: number;
  /** Resolves names for direct connections; a proxy resolves them itself. Absent: `lookupOnThisMachine`. */
  readonly lookup?: Lookup;
}

/**
 * The only `fetch` of the program. It uses the configured proxy and certificates, and refuses an answer that is packed
 * in an unsafe way (`safe-packing.ts`). Reads the settings at each
 * call, so that a change applies at once. Rejects as `fetch` does, and names the proxy; with a `PermanentError` as the
 * root cause if trying again is useless. That includes a certificate file that cannot be read: continuing without it
 * could mean trusting the wrong server.
 */
export function createNetFetch(connection: () => Connection, env: Env, reach: Reach = {}): typeof fetch {
  const made = new Map<string, Promise<Dispatcher>>();
  const dispatcherOf = async (now: Connection): Promise<Dispatcher> => {
    // Two sessions never share a connection, so what each of them sends can be counted.
    const key = JSON.stringify([now, reasonNow().sessionId ?? null]);
    const use = made.get(key) ?? createDispatcher(now, env, reach);
    made.delete(key);
    made.set(key, use);
    if (made.size > mostSessions) endOldest(made);
    try {
      return await use;
    } catch (error) {
      // A failure is not kept, because the file may be added meanwhile.
      made.delete(key);
      throw error;
    }
  };
  return async (input, init) => {
    const now = connection();
    const proxy = proxyFor(new URL(input instanceof Request ? input.url : input), now.proxy, env);
    try {
      const through: RequestInit = { ...init };
      // The types of Node know a dispatcher of another version of undici.
      Reflect.set(through, 'dispatcher', await dispatcherOf(now));
      const response = await fetch(input, through);
      if (proxy !== null) proxies.set(response, proxy.label);
      return response;
    } catch (error) {
      throw explained(error, proxy);
    }
  };
}

/** Connections of more are closed after their last request, the longest unused first. */
const mostSessions = 32;

function endOldest(made: Map<string, Promise<Dispatcher>>): void {
  const [oldest] = made;
  if (oldest === undefined) return;
  const [key, use] = oldest;
  made.delete(key);
  // Whoever made it knows of its failure.
  void use.then((dispatcher) => dispatcher.close()).catch(() => undefined);
}

/** For servers of this machine: without a proxy. */
export const directFetch = createNetFetch(() => ({ proxy: null, certificates: null }), {});

const proxies = new WeakMap<Response | Error, string>();

/** The proxy that a response or a failed connection (its root cause) came through, for people. Null: none. */
export function proxyOf(response: Response | Error): string | null {
  return proxies.get(response) ?? null;
}

/** The second answer came the same way as the first, which it is made of. */
export function sameProxy(from: Response, made: Response): Response {
  const proxy = proxies.get(from);
  if (proxy !== undefined) proxies.set(made, proxy);
  return made;
}

/** In the shape of any failure of `fetch`, for callers that tell "no connection" from a broken one. */
function explained(error: unknown, proxy: ChosenProxy | null): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error;
  const root = rootCause(error);
  const cause = root instanceof PermanentError ? root : (lasting(root, proxy) ?? throughProxy(root, proxy));
  return cause === null ? error : new TypeError('fetch failed', { cause });
}

function throughProxy(root: Error, proxy: ChosenProxy | null): Error | null {
  if (proxy === null) return null;
  const named = new Error(`${root.message.replace(/\.$/u, '')}, through the proxy ${proxy.label}`);
  proxies.set(named, proxy.label);
  return Object.assign(named, { code: Reflect.get(root, 'code') });
}

function lasting(root: Error, proxy: ChosenProxy | null): PermanentError | null {
  const name = proxy === null ? 'The proxy' : `The proxy ${proxy.label}`;
  const refused = /^Proxy response \((\d+)\)/.exec(root.message)?.[1];
  if (refused === '407')
    return new PermanentError(
      `${name} needs a name and a password (407). Set connection.proxy to http://NAME:PASSWORD@HOST:PORT.`,
    );
  if (refused !== undefined) return new PermanentError(`${name} blocked this (${refused}).`);
  const code: unknown = Reflect.get(root, 'code');
  const explain = typeof code === 'string' ? encryptionFaults.find(([codes]) => codes.test(code))?.[1] : undefined;
  return explain === undefined ? null : new PermanentError(explain(root.message));
}

/** By the codes of OpenSSL, the first that fits: what is wrong with the encryption of a server, and what to do. */
const encryptionFaults: readonly (readonly [codes: RegExp, explain: (message: string) => string])[] = [
  [
    /^CERT_HAS_EXPIRED$/u,
    () => 'Its certificate has expired. Whoever runs the server must renew it. Also check the clock of this machine.',
  ],
  [/^CERT_NOT_YET_VALID$/u, () => 'Its certificate is not valid yet. Check the clock of this machine.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/u,
    (message) => `Its certificate is for another name: ${ended(message)} Check the address.`,
  ],
  [/^CERT_REVOKED$/u, () => 'Its certificate was revoked, so the server cannot be trusted. Ask whoever runs it.'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/u,
    (message) =>
      `Its certificate is not trusted: ${ended(message)} To trust your own authority, set connection.certificates to its file.`,
  ],
  [
    /^(EPROTO|ERR_SSL_)/u,
    () =>
      'No encrypted connection could be made (TLS). If the server has no encryption, set an address that begins with http://.',
  ],
];

const ended = (message: string): string => message.replace(/\.?$/u, '.');

/** Chooses for every request, so that a redirect gets its own way. */
async function createDispatcher(
  { proxy, certificates }: Connection,
  env: Env,
  { silenceMs, lookup = lookupOnThisMachine }: Reach,
): Promise<Dispatcher> {
  const trusted = certificates === null ? null : await trustedWith(certificates);
  const ca = trusted === null ? {} : { ca: [...trusted] };
  const limits = silenceMs === undefined ? {} : { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  // Loaded only when something is sent: it is large, and the built-in `fetch` supports none of this.
  const { Agent, ProxyAgent } = await import('undici');
  const made = new Map<string, Dispatcher>();
  const through = (chosen: ChosenProxy): Dispatcher => {
    const before = made.get(chosen.address);
    if (before !== undefined) return before;
    const agent = usable(
      () => new ProxyAgent({ uri: chosen.address, ...limits, connect: ca, requestTls: ca, proxyTls: ca }),
      chosen,
    );
    made.set(chosen.address, agent);
    return agent;
  };
  const direct = new Agent({ ...limits, connect: { ...ca, lookup } });
  const choose: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const chosen = proxyFor(new URL(String(options.origin)), proxy, env);
    return chosen === null ? dispatch(options, handler) : through(chosen).dispatch(options, handler);
  };
  return direct.compose(
    choose,
    safeAnswers((why) => new PermanentError(why)),
  );
}

function usable<Made>(make: () => Made, { label }: ChosenProxy): Made {
  try {
    return make();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentError(`The proxy ${label} cannot be used: ${why}.`);
  }
}

/** The usual certificates and those of a file. Rejects if it cannot be read. */
export async function trustedWith(path: string): Promise<readonly string[]> {
  try {
    return [...getCACertificates('default'), await readFile(path, 'utf8')];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentError(`The certificates in ${path} cannot be read: ${why}`);
  }
}
