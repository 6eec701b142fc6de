import { BlockList, isIP } from 'node:net';
import { normalHost } from './this-machine.ts';

/**
 * Whether a list such as `no_proxy` contains a host: by its name, one of its parent domains, its address, or a network
 * that contains the address (`10.0.0.0/8`). `*` stands for any letters (`10.0.0.*`, `*`). An entry with a port applies
 * only to that port.
 */
export function isProxyExcepted(noProxy: string, host: string, port: number): boolean {
  const wanted = normalHost(host);
  return noProxy.split(/[,\s]/u).some((entry) => entry !== '' && matches(entry, wanted, port));
}

function matches(entry: string, host: string, port: number): boolean {
  // An IPv6 address with a port stands in brackets.
  const [, before, ofPort] = /^([^:]+|\[[^\]]*\](?:\/\d+)?):(\d+)$/u.exec(entry) ?? [];
  if (ofPort !== undefined && Number(ofPort) !== port) return false;
  const [, network, bits] = /^\[?([\da-f.:]+)\]?\/(\d{1,3})\]?$/iu.exec(before ?? entry) ?? [];
  if (network !== undefined) return isInNetwork(network, Number(bits), host);
  const written = (before ?? entry).replace(/^\*?\.+/u, '');
  if (written.includes('*')) return isLike(written.toLowerCase(), host);
  const name = normalHost(written);
  if (name === '') return false;
  if (isIP(name) !== 0 || isIP(host) !== 0)
    return host === name || isInNetwork(name, isIP(name) === 4 ? 32 : 128, host);
  return host === name || host.endsWith(`.${name}`);
}

/** Each `*` stands for any letters, also none. The first piece begins the host, and the last one ends it. */
function isLike(pattern: string, host: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!host.startsWith(first) || !host.endsWith(last) || host.length < first.length + last.length) return false;
  const middle = host.slice(first.length, host.length - last.length);
  let at = 0;
  return rest.every((piece) => {
    const found = middle.indexOf(piece, at);
    at = found + piece.length;
    return found !== -1;
  });
}

function isInNetwork(network: string, bits: number, address: string): boolean {
  const family = isIP(network);
  const ofAddress = isIP(address);
  if (family === 0 || ofAddress === 0 || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, ofAddress === 4 ? 'ipv4' : 'ipv6');
}
