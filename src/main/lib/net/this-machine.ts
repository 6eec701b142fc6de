import { BlockList, isIP } from 'node:net';
import { hostname as machineName, networkInterfaces } from 'node:os';

/** Every spelling of an IPv4 address inside IPv6 counts, too: the list compares them as equal. */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** As a target, "all interfaces" is this machine. */
const unspecified = new BlockList();
unspecified.addAddress('0.0.0.0', 'ipv4');
unspecified.addAddress('::', 'ipv6');

/** Names that the hosts files of usual systems give to the loopback addresses. */
const loopbackNames = /^(?:localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/u;

/**
 * Whether a host is this machine without asking a resolver: a loopback address in any spelling, or `localhost`.
 * `127.example.org` is an ordinary name. Decides where no encryption is needed.
 */
export function isLoopbackHost(host: string): boolean {
  const name = normalHost(host);
  return name === 'localhost' || isIn(loopback, name);
}

/**
 * The one definition of "this machine", for proxies, fences and providers: what `isLoopbackHost` accepts, the address
 * of all interfaces, the addresses of its interfaces, names below `localhost`, and its own name. A name counts before
 * it is looked up, so connect with `lookupOnThisMachine`. Another machine in the same network does not count.
 */
export function isThisMachine(host: string): boolean {
  const name = normalHost(host);
  return isIP(name) === 0 ? isOwnName(name) : isOwnAddress(name);
}

/** Whether an IP address reaches this machine. */
export function isOwnAddress(address: string): boolean {
  return isIn(loopback, address) || isIn(unspecified, address) || isIn(interfaceList(), address);
}

/** Whether a name below `localhost` needs no resolver. */
export function isBelowLocalhost(host: string): boolean {
  const name = normalHost(host);
  return loopbackNames.test(name) || name.endsWith('.localhost');
}

function isOwnName(name: string): boolean {
  return name !== '' && (isBelowLocalhost(name) || ownNames().includes(name));
}

/** The whole name, its first part, and that part in the local network. */
function ownNames(): readonly string[] {
  const whole = normalHost(machineName());
  const first = whole.split('.')[0] ?? '';
  return first === '' ? [] : [whole, first, `${first}.local`];
}

/**
 * The spelling that `URL` gives to a host, without brackets, zone and final dots. Decimal, hexadecimal and octal
 * spellings of an address become the usual one.
 */
export function normalHost(host: string): string {
  const [bare = ''] = host
    .trim()
    .replace(/^\[([^\]]*)\]$/u, '$1')
    .split('%', 1);
  const written = isIP(bare) === 6 ? `[${bare}]` : withoutFinalDots(bare);
  const parsed = URL.parse(`http://${written}/`)?.hostname ?? written.toLowerCase();
  return withoutFinalDots(parsed.replace(/^\[|\]$/gu, ''));
}

function withoutFinalDots(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end -= 1;
  return host.slice(0, end);
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Read at each call, because interfaces come and go. */
function interfaceList(): BlockList {
  const list = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    list.addAddress(normalHost(address), family === 'IPv6' ? 'ipv6' : 'ipv4');
  return list;
}
