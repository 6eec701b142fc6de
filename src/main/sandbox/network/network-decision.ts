/** Why a connection out of a sandbox was let through or not. */
export type NetworkReason =
  | 'listed'
  | 'not-listed'
  /** Not a name that can be listed: an address, a trailing dot, other characters. */
  | 'bad-host'
  | 'bad-port'
  /** The name leads to this machine or the network around it. */
  | 'inner-address'
  | 'no-address'
  | 'unreachable'
  /** What was to be TLS is something else. */
  | 'not-tls'
  /** The name in TLS is not the one that was asked for, or is hidden or left out. */
  | 'other-name'
  | 'bad-request'
  | 'too-many-connections'
  | 'too-many-bytes'
  | 'timed-out';

/** What became of one try to reach a host. */
export interface NetworkDecision {
  /** As it was asked for, as far as it can be shown: at most 260 characters. */
  readonly host: string;
  readonly port: number | null;
  readonly isAllowed: boolean;
  readonly reason: NetworkReason;
  /** Where it went; null where it did not, or where a proxy of this machine chose. */
  readonly address: string | null;
  /** Out of the sandbox, and into it; payload alone. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface NetworkLimits {
  /** Together over all connections of a run. */
  readonly maxSentBytes: number;
  readonly maxReceivedBytes: number;
  readonly maxConnections: number;
  /** Under way at the same time: a client that goes does not set its place free before its connection has gone. */
  readonly maxOpen: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number;
}

export const usualLimits: NetworkLimits = {
  maxSentBytes: 16 * 1024 * 1024,
  maxReceivedBytes: 2 * 1024 * 1024 * 1024,
  maxConnections: 4096,
  maxOpen: 128,
  idleMs: 120_000,
};

const mostNamed = 5;

/** A command may ask for anything: words that are no name are not said for it. */
function named(host: string): string {
  return /^[a-z0-9.-]{1,253}$/.test(host) ? host : 'what is no name of a host';
}

/** What kept a command from hosts it asked for, a sentence for each cause; empty where nothing did. For people. */
export function refusedHostsText(decisions: readonly Pick<NetworkDecision, 'host' | 'isAllowed' | 'reason'>[]): string {
  const refused = decisions.filter(({ isAllowed }) => !isAllowed);
  const listOf = (...reasons: readonly string[]): string => {
    const hosts = refused.filter(({ reason }) => reasons.includes(reason)).map(({ host }) => named(host));
    return [...new Set(hosts)].slice(0, mostNamed).join(', ');
  };
  const unlisted = listOf('not-listed');
  const unreached = listOf('unreachable', 'no-address');
  const others = refused.filter(({ reason }) => !['not-listed', 'unreachable', 'no-address'].includes(reason));
  return [
    unlisted === '' ? '' : `It asked for ${unlisted}, which was not approved (--host).`,
    unreached === '' ? '' : `This machine cannot reach ${unreached}: look at its network and its proxy.`,
    ...new Set(others.slice(0, mostNamed).map(({ host, reason }) => `${named(host)} was not let through (${reason}).`)),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
