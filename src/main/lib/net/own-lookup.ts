import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isBelowLocalhost, isOwnAddress, isThisMachine } from './this-machine.ts';
import { PermanentError } from './permanent-error.ts';

type Answer = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves the names of sockets. */
export type Lookup = (host: string, options: LookupOptions, answer: Answer) => void;

const loopbackAddresses: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * A `lookup` for sockets that keeps the promise of `isThisMachine`: a name that counts as this machine never leads to
 * another one, whatever the resolver says.
 */
export function lookupOnThisMachine(host: string, options: LookupOptions, answer: Answer): void {
  if (!isThisMachine(host)) {
    lookup(host, options, answer);
    return;
  }
  lookup(host, { ...options, all: true }, (error, found) => {
    const addresses = error === null ? found : isBelowLocalhost(host) ? loopbackAddresses : [];
    const own = addresses.filter(({ address }) => isOwnAddress(address));
    const [first] = own;
    if (first === undefined) return answer(error ?? leadsAway(host, addresses), []);
    if (options.all === true) return answer(null, own);
    answer(null, first.address, first.family);
  });
}

function leadsAway(host: string, addresses: readonly LookupAddress[]): PermanentError {
  const there = addresses.map(({ address }) => address).join(', ');
  return new PermanentError(
    `${host} is a name of this machine, but the network says that it is ${there}. Nothing was sent. Use the address instead of the name.`,
  );
}
