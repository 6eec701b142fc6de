/** Why a connection from a sandbox was allowed or refused. */
export type NetworkReason =
  | 'listed'
  | 'not-listed'
  /** Not a name that can be listed: an address, a trailing dot, other characters. */
  | 'bad-host'
  | 'bad-port'
  /** The name leads to this machine or its local network. */
  | 'inner-address'
  | 'no-address'
  | 'unreachable'
  /** The data is not TLS, although it must be. */
  | 'not-tls'
  /** The name in TLS differs from the requested one, is hidden or is missing. */
  | 'other-name'
  | 'bad-request'
  | 'too-many-connections'
  | 'too-many-bytes'
  | 'timed-out';

/** The outcome of one attempt to reach a host. */
export interface NetworkDecision {
  /** The requested host, made safe to show and cut to 260 characters. */
  readonly host: string;
  readonly port: number | null;
  readonly isAllowed: boolean;
  readonly reason: NetworkReason;
  /** The address that it went to. Null: it went nowhere, or a proxy of this machine chose the address. */
  readonly address: string | null;
  /** Bytes out of the sandbox and into it, payload only. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface NetworkLimits {
  /** Summed over all connections of a run. */
  readonly maxSentBytes: number;
  readonly maxReceivedBytes: number;
  readonly maxConnections: number;
  /**
   * The most connections at the same time. One counts until its connection to the host has ended, even if its client
   * is gone.
   */
  readonly maxOpen: number;
  /** A connection that is idle for this long is closed. */
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

/** A command may ask for anything, so text that is not a name is not repeated. */
function named(host: string): string {
  return /^[a-z0-9.-]{1,253}$/.test(host) ? host : 'an invalid host name';
}

/** For users: which hosts a command could not reach, one sentence for each cause. Empty: none was refused. */
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
