import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

// Networks that reach this machine, its neighbors or the machine that hosts it. Blocks for documentation are not
// listed: they belong to nobody, and labs use them in place of the internet.
const refused4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Metadata services of cloud machines. The next address is another cloud's.
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of IPv6, only the global block is allowed, without its tunnels and reserved parts. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const refused6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2002::', 16],
  ['3ffe::', 16],
];

const refused = new BlockList();
for (const [address, bits] of refused4) refused.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of refused6) refused.addSubnet(address, bits, 'ipv6');

/** IPv4 addresses inside IPv6, mapped or translated. */
const mappedPrefix = new BlockList();
mappedPrefix.addSubnet('::ffff:0:0', 96, 'ipv6');
mappedPrefix.addSubnet('64:ff9b::', 96, 'ipv6');

/**
 * Whether a connection may go to this address: only to a public one that does not belong to this machine. Takes an
 * address from a resolver and never a name. Anything else is refused.
 */
export function isPublicAddress(address: string, own: ReadonlySet<string> = ownAddresses()): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4') && !own.has(address);
    case 6:
      return isPublic6(address, own);
    default:
      return false;
  }
}

function isPublic6(address: string, own: ReadonlySet<string>): boolean {
  // A zone refers to a network interface of this machine.
  if (address.includes('%')) return false;
  if (mappedPrefix.check(address, 'ipv6')) {
    const inner = lastFour(address);
    return inner !== null && !refused.check(inner, 'ipv4') && !own.has(inner);
  }
  return global6.check(address, 'ipv6') && !refused.check(address, 'ipv6') && !own.has(normal6(address));
}

/** The last 32 bits of an IPv6 address, as an IPv4 address. */
function lastFour(address: string): string | null {
  const groups = normal6(address).split(':').slice(-2);
  const numbers = groups.map((group) => (group === '' ? 0 : Number.parseInt(group, 16)));
  const [high = 0, low = 0] = numbers;
  if (!Number.isInteger(high) || !Number.isInteger(low)) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The canonical spelling, without dots, leading zeros or capitals. */
function normal6(address: string): string {
  try {
    return new URL(`http://[${address}]/`).hostname.slice(1, -1);
  } catch {
    return address;
  }
}

/** The addresses of all interfaces, even public ones: a service that listens on them was not meant for a sandbox. */
function ownAddresses(): ReadonlySet<string> {
  const found = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return new Set(found.map(({ address, family }) => (family === 'IPv6' ? normal6(address) : address)));
}
