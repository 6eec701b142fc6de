import type { EventOf } from '@shared/events/events.ts';
import type { ServerUse, ToolCallState } from '@shared/session/session-state.ts';
import { shortenOutput } from '@shared/text/shorten-text.ts';
import { keptCounts } from './kept-counts.ts';

/** The call as it is from its end on: what it put out is capped here, and whole in the log. */
export function endedCall(call: ToolCallState, event: EventOf<'tool-ended'>): ToolCallState {
  const { status, exitCode, durationMs } = event;
  return { ...call, status, output: shortenOutput(event.output), exitCode, durationMs };
}

/** Drops the output of the call that is no longer among the latest. */
export function forgetOutput(calls: readonly ToolCallState[]): readonly ToolCallState[] {
  const index = calls.length - 1 - keptCounts.outputs;
  const old = calls[index];
  if (!old || old.output === '') return calls;
  const copy = [...calls];
  copy[index] = { ...old, output: '', outputLeftOut: true };
  return copy;
}

/**
 * What a turn has used of servers, with one more call that has ended. The time is what the call took, with what a person
 * was waited for inside it.
 */
export function withUse(
  servers: readonly ServerUse[],
  { server, carries }: NonNullable<ToolCallState['foreign']>,
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
