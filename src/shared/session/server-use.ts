import type { EventOf } from '@shared/events/events.ts';

/** What a turn used of one server. What a call costs no server says. */
export interface ServerUse {
  readonly server: string;
  readonly calls: number;
  /** Calls of further tools that these carried. */
  readonly carried: number;
  readonly failed: number;
  readonly ms: number;
}

/**
 * What a turn has used of servers, with one more call that has ended. The time is what the call took, with what a person
 * was waited for inside it.
 */
export function withUse(
  servers: readonly ServerUse[],
  { server, carries }: { readonly server: string; readonly carries: number },
  { status, durationMs }: EventOf<'tool-ended'>,
): readonly ServerUse[] {
  const before = servers.find((one) => one.server === server);
  const used = before ?? { server, calls: 0, carried: 0, failed: 0, ms: 0 };
  const after = {
    server,
    calls: used.calls + 1,
    carried: used.carried + carries,
    failed: used.failed + (status === 'ok' ? 0 : 1),
    ms: used.ms + durationMs,
  };
  return before === undefined ? [...servers, after] : servers.map((one) => (one === before ? after : one));
}
