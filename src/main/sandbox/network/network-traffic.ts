import { Transform, type TransformCallback } from 'node:stream';
import type { NetworkDecision, NetworkLimits, NetworkReason } from './network-decision.ts';

/** One requested connection, until it is decided and over. */
export interface Attempt {
  readonly sent: () => Transform;
  readonly received: () => Transform;
  /** Counts bytes that do not pass a meter. Returns false if the limit is exceeded. */
  readonly addSent: (bytes: number) => boolean;
  /** Notes the address. From here on the connection counts as allowed, unless it ends for another reason. */
  readonly reached: (address: string | null) => void;
  readonly isOver: () => boolean;
  /** Only the first call counts. */
  readonly end: (reason: NetworkReason) => void;
}

/** Counts the traffic of all connections in a run, and reports the outcome of each. */
export interface Traffic {
  /** Begins a connection. It is over at once if there are too many. */
  readonly begin: (host: string, port: number | null) => Attempt;
  readonly refuse: (host: string, port: number | null, reason: NetworkReason) => void;
  /** Ends all open connections and reports their traffic so far. */
  readonly close: () => void;
}

export function createTraffic(limits: NetworkLimits, onDecision: (decision: NetworkDecision) => void): Traffic {
  const total = { sent: 0, received: 0, connections: 0, open: 0 };
  const open = new Set<() => void>();
  const refuse = (host: string, port: number | null, reason: NetworkReason): void =>
    onDecision({ host, port, isAllowed: false, reason, address: null, sentBytes: 0, receivedBytes: 0 });

  function begin(host: string, port: number | null): Attempt {
    total.connections += 1;
    total.open += 1;
    const moved = { sent: 0, received: 0 };
    let address: string | null = null;
    let isOver = false;
    const end = (reason: NetworkReason): void => {
      if (isOver) return;
      isOver = true;
      total.open -= 1;
      open.delete(finish);
      const isAllowed = reason === 'listed';
      onDecision({ host, port, isAllowed, reason, address, sentBytes: moved.sent, receivedBytes: moved.received });
    };
    const finish = (): void => end('listed');
    const add = (direction: 'sent' | 'received', bytes: number): boolean => {
      const most = direction === 'sent' ? limits.maxSentBytes : limits.maxReceivedBytes;
      if (total[direction] + bytes > most) {
        end('too-many-bytes');
        return false;
      }
      moved[direction] += bytes;
      total[direction] += bytes;
      return true;
    };
    if (total.connections > limits.maxConnections || total.open > limits.maxOpen) end('too-many-connections');
    return {
      sent: () => meter((bytes) => add('sent', bytes)),
      received: () => meter((bytes) => add('received', bytes)),
      addSent: (bytes) => add('sent', bytes),
      reached: (found) => {
        address = found;
        if (!isOver) open.add(finish);
      },
      isOver: () => isOver,
      end,
    };
  }

  return {
    begin,
    refuse,
    close: () => {
      for (const finish of open) finish();
    },
  };
}

/** Passes bytes as long as `add` accepts them. Then it fails, which ends both sides of a pipeline. */
function meter(add: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      if (add(chunk.length)) done(null, chunk);
      else done(new Error('More than this command may move.'));
    },
  });
}
