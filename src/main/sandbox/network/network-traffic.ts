import { Transform, type TransformCallback } from 'node:stream';
import type { NetworkDecision, NetworkLimits, NetworkReason } from './network-decision.ts';

/** One connection that was asked for, until it is decided and over. */
export interface Attempt {
  readonly sent: () => Transform;
  readonly received: () => Transform;
  /** Counts what does not pass through a meter. False: it is too much. */
  readonly addSent: (bytes: number) => boolean;
  /** Where it goes; from here on it counts as let through unless it ends for another reason. */
  readonly reached: (address: string | null) => void;
  readonly isOver: () => boolean;
  /** The first word counts. */
  readonly end: (reason: NetworkReason) => void;
}

/** What all connections of a run move together, and what became of each. */
export interface Traffic {
  /** One that is over at once where there were too many already. */
  readonly begin: (host: string, port: number | null) => Attempt;
  readonly refuse: (host: string, port: number | null, reason: NetworkReason) => void;
  /** Ends all that have not: what they moved so far is told. */
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

/** Lets bytes through as long as `add` takes them; then it fails, which ends both sides of a pipeline. */
function meter(add: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      if (add(chunk.length)) done(null, chunk);
      else done(new Error('More than this command may move.'));
    },
  });
}
