import { expect } from 'vitest';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import { ofType } from './program.ts';

export interface Crashed {
  /** The events that the process reported as written. */
  readonly acknowledged: readonly SessionEvent[];
  /** The log as the killed process left it. */
  readonly left: readonly SessionEvent[];
  /** The log after the session was opened again. */
  readonly opened: readonly SessionEvent[];
}

/**
 * What must hold for the log of a killed process. Acknowledged events are in it unchanged, and opening it loses
 * nothing. No message waits forever. Everything that began has an end: `crashed` for the turn, `unknown` where nobody
 * can know the end.
 */
export function checkCrashed({ acknowledged, left, opened }: Crashed): void {
  expect(left.slice(0, acknowledged.length)).toEqual(acknowledged);
  expect(opened.slice(0, left.length)).toEqual(left);
  expect(opened.map((event) => event.seq)).toEqual(opened.map((_, index) => index + 1));
  const known = new Set(ofType(left, 'tool-ended').map((event) => event.toolCallId));
  const open = ofType(left, 'tool-started').filter(({ toolCallId }) => !known.has(toolCallId));
  // Calls of a program end before the program.
  const cut = open
    .filter(({ parent }) => parent === undefined)
    .flatMap((outer) => [...open.filter(({ parent }) => parent === outer.toolCallId), outer]);
  expect(cut).toHaveLength(open.length);
  const given = ofType(opened, 'tool-ended').filter(({ toolCallId }) => !known.has(toolCallId));
  expect(given.map(({ toolCallId, status }) => [toolCallId, status])).toEqual(
    cut.map(({ toolCallId }) => [toolCallId, 'unknown']),
  );
  const answered = ofType(opened, 'model-call-ended').map(({ callId }) => callId);
  expect(answered).toEqual(ofType(opened, 'model-call-started').map(({ callId }) => callId));
  // No message waits for something that will not come.
  const taken = [...ofType(opened, 'turn-started'), ...ofType(opened, 'message-delivered')];
  const dropped = ofType(opened, 'message-dropped').map(({ messageId }) => messageId);
  const settled = new Set([...taken.map(({ messageId }) => messageId), ...dropped]);
  expect(ofType(opened, 'user-message-added').filter(({ messageId }) => !settled.has(messageId))).toEqual([]);
  expect(new Set(dropped).size).toBe(dropped.length);
  const over = new Set(ofType(left, 'turn-ended').map(({ turnId }) => turnId));
  const reasons = new Map(ofType(opened, 'turn-ended').map(({ turnId, reason }) => [turnId, reason]));
  for (const { turnId } of ofType(left, 'turn-started')) {
    if (!over.has(turnId)) expect(reasons.get(turnId)).toBe('crashed');
  }
}
