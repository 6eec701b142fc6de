import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { InnerCallState } from '@shared/session/inner-calls.ts';
import type { SessionState, ToolCallState } from '@shared/session/session-state.ts';
import { changeLastMatch, firstLine } from '@shared/text/shorten-text.ts';
import { keptCounts } from './kept-counts.ts';

/**
 * Folds a call that a program made into the row of the program, not into the model's own calls. Null for any other
 * event.
 */
export function reduceInnerCalls(state: SessionState, event: SessionEvent): Partial<SessionState> | null {
  if (event.type !== 'tool-started' && event.type !== 'tool-ended') return null;
  if (event.parent === undefined) return null;
  return event.type === 'tool-started'
    ? innerStarted(state, event.parent, event)
    : innerEnded(state, event.parent, event);
}

function innerStarted(
  state: SessionState,
  parent: string,
  { toolCallId, tool, label, at }: EventOf<'tool-started'>,
): Partial<SessionState> {
  const call: InnerCallState = {
    toolCallId,
    tool,
    label: firstLine(label),
    startedAt: at,
    status: null,
    durationMs: null,
  };
  return inProgram(state, parent, ({ inner = [], innerCalls = 0 }) => ({
    inner: [...withRoom(inner), call],
    innerCalls: innerCalls + 1,
  }));
}

/** Drops the oldest call that has ended. Few calls run at a time. */
function withRoom(inner: readonly InnerCallState[]): readonly InnerCallState[] {
  if (inner.length < keptCounts.innerCalls) return inner;
  const ended = inner.find(({ status }) => status !== null);
  return inner.filter((call) => call !== ended);
}

function innerEnded(
  state: SessionState,
  parent: string,
  { toolCallId, status, durationMs }: EventOf<'tool-ended'>,
): Partial<SessionState> {
  const isIt = (call: InnerCallState): boolean => call.toolCallId === toolCallId;
  return inProgram(state, parent, ({ inner = [] }) => ({
    inner: changeLastMatch(inner, isIt, (call) => ({ ...call, status, durationMs })),
  }));
}

function inProgram(
  state: SessionState,
  parent: string,
  change: (call: ToolCallState) => Pick<ToolCallState, 'inner' | 'innerCalls'>,
): Partial<SessionState> {
  const isIt = (call: ToolCallState): boolean => call.toolCallId === parent;
  return { toolCalls: changeLastMatch(state.toolCalls, isIt, (call) => ({ ...call, ...change(call) })) };
}
