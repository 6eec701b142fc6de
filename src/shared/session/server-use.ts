import type { EventOf } from '@shared/events/events.ts';

/** What a turn used of one tool server. Servers do not report what a call costs. */
export interface ServerUse {
  readonly server: string;
  readonly calls: number;
  /** Calls of other tools that were carried inside these calls. */
  readonly carried: number;
  readonly failed: number;
  readonly ms: number;
}

/** Adds one ended call to a turn's use of servers. `ms` includes the time that the call waited for a person. */
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
