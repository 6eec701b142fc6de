import { readFile } from 'node:fs/promises';
import { getCACertificates, rootCertificates } from 'node:tls';

export interface Connection {
  /** The address of a proxy; null: as the usual environment variables say. */
  readonly proxy: string | null;
  /** A file of certificates (PEM) that are trusted beside the usual ones. */
  readonly certificates: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A server on this machine is never looked for behind a proxy. */
const thisMachine = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * A `fetch` for services on the net that heeds proxies and certificates. Where neither is set it is the built-in one.
 * Settings are read anew for each call, so that a change holds at once. Rejects where the file of certificates
 * cannot be read: to go on without it could mean to trust the wrong server.
 */
export function createNetFetch(connection: () => Connection, env: Env): typeof fetch {
  let made: { readonly key: string; readonly use: Promise<typeof fetch> } | null = null;
  return async (input, init) => {
    const wanted = wishes(connection(), env);
    if (wanted === null) return fetch(input, init);
    const key = JSON.stringify(wanted);
    // A failure is not kept: the file may be put in its place meanwhile.
    if (made?.key !== key) made = { key, use: viaDispatcher(wanted) };
    try {
      return await (
        await made.use
      )(input, init);
    } catch (error) {
      if (error instanceof CertificateFileError) made = null;
      throw error;
    }
  };
}

class CertificateFileError extends Error {}

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
  const noProxy = [ofEnv('no_proxy'), ...thisMachine].filter((host) => host !== '').join(',');
  return { httpProxy, httpsProxy, noProxy, certificates };
}

async function viaDispatcher({ certificates, ...proxies }: Wishes): Promise<typeof fetch> {
  const trusted = certificates === null ? {} : await trust(certificates);
  // Loaded only where it is needed: the built-in `fetch` has no door for either wish.
  const { EnvHttpProxyAgent } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({ ...proxies, ...trusted });
  return (input, init) => {
    const through = { ...init, dispatcher };
    return fetch(input, through);
  };
}

async function trust(path: string): Promise<object> {
  try {
    const ca = [...usualCertificates(), await readFile(path, 'utf8')];
    return { connect: { ca }, requestTls: { ca }, proxyTls: { ca } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateFileError(`The certificates in ${path} cannot be read: ${why}`);
  }
}

/** Older versions know only the ones that are built in. */
function usualCertificates(): readonly string[] {
  return typeof getCACertificates === 'function' ? getCACertificates('default') : rootCertificates;
}
