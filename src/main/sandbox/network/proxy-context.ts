import type { Duplex } from 'node:stream';
import type { NetworkDecision, NetworkLimits, NetworkReason } from './network-decision.ts';
import { dial, type DialResult, type OutboundConnections } from './outbound-connections.ts';
import type { Attempt, Traffic } from './network-traffic.ts';
import { openThroughProxy } from './upstream-proxy.ts';

export interface ProxyOptions {
  /** Canonical names. No other host is reached. */
  readonly hosts: ReadonlySet<string>;
  readonly limits: NetworkLimits;
  readonly outward: OutboundConnections;
  /** Called once for each requested connection, when it is refused or over. Must not throw. */
  readonly onDecision: (decision: NetworkDecision) => void;
}

/** What serving one connection needs. */
export interface ProxyContext extends ProxyOptions {
  readonly traffic: Traffic;
  readonly signal: AbortSignal;
  /** Runs the work on behalf of whoever opened the proxy. */
  readonly onBehalf: <Result>(work: () => Result) => Result;
}

/** Opens the connection and notes the outcome in `attempt`. */
export async function openTarget(
  work: ProxyContext,
  attempt: Attempt,
  target: { readonly host: string; readonly port: 80 | 443 },
): Promise<DialResult> {
  const refuse = (reason: NetworkReason): DialResult => {
    attempt.end(reason);
    return { ok: false, reason };
  };
  if (attempt.isOver()) return refuse('too-many-connections');
  const dialled = await work.onBehalf(() => dial(work.outward, target, work.signal));
  if (!dialled.ok) return refuse(dialled.reason);
  const { socket, proxy } = dialled;
  if (work.signal.aborted) {
    socket.destroy();
    return refuse('timed-out');
  }
  socket.setTimeout(work.limits.idleMs, () => socket.destroy());
  if (proxy !== null && target.port === 443 && !(await openThroughProxy(socket, proxy, target))) {
    socket.destroy();
    return refuse('unreachable');
  }
  attempt.reached(dialled.address);
  return dialled;
}

/** For users and models, who read it in a command's errors. */
export function refusalText(reason: NetworkReason): string {
  switch (reason) {
    case 'not-listed':
    case 'bad-host':
    case 'bad-port':
      return 'Not approved for this command';
    case 'inner-address':
      return 'Leads to a private address';
    case 'no-address':
      return 'This name has no address';
    case 'unreachable':
      return 'Nobody answers there';
    case 'too-many-bytes':
    case 'too-many-connections':
      return 'More than this command may have';
    case 'listed':
    case 'not-tls':
    case 'other-name':
    case 'bad-request':
    case 'timed-out':
      return 'Not understood';
    default:
      return reason satisfies never;
  }
}

/** Answers instead of the host, and ends the connection. */
export function answerClient(client: Duplex, status: number, text: string): void {
  const body = `Dewpoint: ${text}.\n`;
  if (client.writableEnded) return;
  // Nothing more is read from a client that was refused.
  client.end(
    `HTTP/1.1 ${status} ${text}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    () => client.destroy(),
  );
}
