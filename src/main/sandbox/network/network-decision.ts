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
