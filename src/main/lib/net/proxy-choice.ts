import { isProxyExcepted } from './no-proxy.ts';
import { isThisMachine } from './this-machine.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface ChosenProxy {
  /** With a scheme, and with its name and password if it has them: never shown. */
  readonly address: string;
  /** The address for people, without its name and password, and where it was set. */
  readonly label: string;
}

/**
 * The proxy for an address: that of the settings, else that of the usual variables, in small or capital letters. Null:
 * none. This machine is never reached through a proxy. `no_proxy` holds for both.
 */
export function proxyFor(url: URL, proxy: string | null, env: Env): ChosenProxy | null {
  const isPlain = url.protocol === 'http:' || url.protocol === 'ws:';
  if (isThisMachine(url.hostname)) return null;
  if (isProxyExcepted(ofEnv(env, 'no_proxy'), url.hostname, Number(url.port) || (isPlain ? 80 : 443))) return null;
  if (proxy !== null && proxy !== '') return chosen(proxy, 'connection.proxy');
  const names = isPlain ? ['http_proxy', 'all_proxy'] : ['https_proxy', 'http_proxy', 'all_proxy'];
  for (const name of names) {
    const address = ofEnv(env, name);
    if (address !== '') return chosen(address, name);
  }
  return null;
}

function ofEnv(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || '').trim();
}

function chosen(text: string, source: string): ChosenProxy {
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.parse(address);
  // An address that cannot be parsed may hold a password, too.
  const shown = url === null ? withoutUser(address) : `${url.protocol}//${url.host}`;
  return { address, label: `${shown} (from ${source})` };
}

function withoutUser(address: string): string {
  const from = address.indexOf('//') + 2;
  return address.slice(0, from) + address.slice(Math.max(from, address.lastIndexOf('@') + 1));
}
