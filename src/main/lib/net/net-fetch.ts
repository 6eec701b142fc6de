import { readFile } from 'node:fs/promises';
import { getCACertificates, rootCertificates } from 'node:tls';
import { isProxyExcepted } from './no-proxy.ts';
import { rootCause } from './root-cause.ts';

export interface Connection {
  /** The address of a proxy; null: use the usual environment variables. */
  readonly proxy: string | null;
  /** A file of certificates (PEM) to trust in addition to the usual ones. */
  readonly certificates: string | null;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Servers on this machine are never reached through a proxy. */
const thisMachine = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * A `fetch` for services on the network that uses the configured proxy and certificates; without them, the built-in
 * `fetch`. Reads the settings at each call, so that a change applies at once. Rejects as `fetch` does, with a
 * `PermanentError` as the root cause if trying again is useless. That includes a certificate file that cannot be read:
 * continuing without it could mean trusting the wrong server.
 */
export function createNetFetch(connection: () => Connection, env: Env): typeof fetch {
  let made: { readonly key: string; readonly use: Promise<typeof fetch> } | null = null;
  const door = async (): Promise<typeof fetch> => {
    const wanted = wishes(connection(), env);
    if (wanted === null) return fetch;
    const key = JSON.stringify(wanted);
    if (made?.key !== key) made = { key, use: viaDispatcher(wanted) };
    try {
      return await made.use;
    } catch (error) {
      // A failure is not kept, because the file may be added meanwhile.
      made = null;
      throw error;
    }
  };
  return async (input, init) => {
    try {
      return await (
        await door()
      )(input, init);
    } catch (error) {
      throw explained(error);
    }
  };
}

/** Why there is no connection until the user changes something, so that trying again is useless. */
export class PermanentError extends Error {}

/** In the shape of any failure of `fetch`, for callers that tell "no connection" from a broken one. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const root = rootCause(error);
  const cause = root instanceof PermanentError ? root : lasting(root);
  return cause === null ? error : new TypeError('fetch failed', { cause });
}

function lasting(root: Error): PermanentError | null {
  const refused = /^Proxy response \((\d+)\)/.exec(root.message)?.[1];
  if (refused === '407')
    return new PermanentError(
      'The proxy needs a name and a password (407). Set connection.proxy to http://NAME:PASSWORD@HOST:PORT.',
    );
  if (refused !== undefined) return new PermanentError(`The proxy blocked this (${refused}).`);
  const code: unknown = Reflect.get(root, 'code');
  if (typeof code !== 'string' || !/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return null;
  return new PermanentError(
    `Its certificate is not trusted: ${root.message}. To trust your own authority, set connection.certificates to its file.`,
  );
}

interface Wishes {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly certificates: string | null;
}

function wishes({ proxy, certificates }: Connection, env: Env): Wishes | null {
  const ofEnv = (name: string): string => env[name] ?? env[name.toUpperCase()] ?? '';
  const all = ofEnv('all_proxy');
  const httpProxy = proxy ?? (ofEnv('http_proxy') || all);
  const httpsProxy = proxy ?? (ofEnv('https_proxy') || httpProxy);
  if (httpProxy === '' && httpsProxy === '' && certificates === null) return null;
  const excepted = ofEnv('no_proxy').split(/[,\s]/u);
  // The package accepts `*` only alone.
  const noProxy = excepted.includes('*') ? '*' : [...excepted, ...thisMachine].filter((host) => host !== '').join(',');
  return { httpProxy, httpsProxy, noProxy, certificates };
}

/** The proxy for an address; null: none. */
export function proxyFor(url: URL, connection: Connection, env: Env): string | null {
  const isPlain = ['http:', 'ws:'].includes(url.protocol);
  const wanted = wishes({ ...connection, certificates: null }, env);
  const proxy = (isPlain ? wanted?.httpProxy : wanted?.httpsProxy) ?? '';
  if (wanted === null || proxy === '') return null;
  return isProxyExcepted(wanted.noProxy, url.hostname, Number(url.port) || (isPlain ? 80 : 443)) ? null : proxy;
}

async function viaDispatcher({ certificates, ...proxies }: Wishes): Promise<typeof fetch> {
  const trusted = certificates === null ? {} : await trust(certificates);
  // Loaded only if needed: the built-in `fetch` supports neither setting.
  const { EnvHttpProxyAgent } = await import('undici');
  const dispatcher = agent(() => new EnvHttpProxyAgent({ ...proxies, ...trusted }), proxies);
  return (input, init) => {
    const through = { ...init, dispatcher };
    return fetch(input, through);
  };
}

function agent<Made>(make: () => Made, { httpProxy, httpsProxy }: Pick<Wishes, 'httpProxy' | 'httpsProxy'>): Made {
  try {
    return make();
  } catch (error) {
    const names = [...new Set([httpProxy, httpsProxy])].filter((name) => name !== '').join(', ');
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentError(
      `The proxy ${names} cannot be used: ${why}. It comes from connection.proxy or from the environment.`,
    );
  }
}

async function trust(path: string): Promise<object> {
  const ca = await trustedWith(path);
  return { connect: { ca }, requestTls: { ca }, proxyTls: { ca } };
}

/** The usual certificates and those of a file. Rejects if it cannot be read. */
export async function trustedWith(path: string): Promise<readonly string[]> {
  try {
    return [...usualCertificates(), await readFile(path, 'utf8')];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentError(`The certificates in ${path} cannot be read: ${why}`);
  }
}

/** Older versions of Node know only the built-in ones. */
function usualCertificates(): readonly string[] {
  return typeof getCACertificates === 'function' ? getCACertificates('default') : rootCertificates;
}
