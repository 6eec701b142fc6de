import { z } from 'zod';
import { instructionEvents } from '@shared/safety/instruction-files.ts';
import { sandboxPayloads, terminalEvents } from './sandbox-events.ts';
import { sessionEvents } from './session-events.ts';
import { conversationEvents, contextEvents } from './conversation-events.ts';
import { turnEvents } from './turn-events.ts';
import { callEvents } from './call-events.ts';
import { toolEvents } from './tool-events.ts';
import { approvalEvents, capEvents } from './approval-events.ts';
import { withNewWords } from './older-words.ts';

/**
 * The facts of a session. The log is the truth: everything shown or counted is a pure function of these.
 * Deltas and output chunks are never events; the matching `*-ended` event holds the whole.
 * A reader skips event types that it does not know.
 */

/**
 * The version of a log, in its first event. A log of an older one is read (`older-words.ts`), but not replayed:
 * today's agent would do other things. A log of a newer one is refused.
 */
export const LOG_VERSION = 4;
/** The oldest version that can be read. */
export const OLDEST_LOG_VERSION = 2;
/** The form of a record, in each of them. A record of another form cannot be read. */
export const RECORD_FORM = 2;

export const payloads = {
  ...sessionEvents,
  ...conversationEvents,
  ...turnEvents,
  ...callEvents,
  ...toolEvents,
  ...approvalEvents,
  ...capEvents,
  ...sandboxPayloads,
  ...contextEvents,
  ...instructionEvents,
  ...terminalEvents,
} as const;

const stamp = {
  v: z.number().int(),
  /** 1, 2, 3 … without a gap. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970, stamped at append. */
  at: z.number(),
  turnId: z.string().optional(),
};

type Payloads = { [Type in keyof typeof payloads]: z.infer<(typeof payloads)[Type]> };
export type EventType = keyof Payloads;

/** An event before the log adds its version, number and time. */
export type NewEvent = {
  [Type in EventType]: { readonly type: Type; readonly turnId?: string } & Readonly<Payloads[Type]>;
}[EventType];

/** An event as the log holds it. */
export type SessionEvent = NewEvent & { readonly v: number; readonly seq: number; readonly at: number };
export type EventOf<Type extends EventType> = Extract<SessionEvent, { type: Type }>;

const stampSchema = z.object({ ...stamp, type: z.string() }).loose();
export const eventTypes: readonly string[] = Object.keys(payloads);
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(payloads, type);
}

/**
 * Parses one record of a log. Returns null for a type that this version does not know; skip it.
 * Throws a ZodError for a known type with a wrong shape.
 */
export function parseEvent(record: unknown): SessionEvent | null {
  const stamped = stampSchema.parse(withNewWords(record));
  if (!isEventType(stamped.type)) return null;
  const payload = payloads[stamped.type].parse(stamped);
  const turn = stamped.turnId === undefined ? {} : { turnId: stamped.turnId };
  // The one cast at this edge: the payload was parsed by the schema that its type names.
  return { ...payload, type: stamped.type, v: stamped.v, seq: stamped.seq, at: stamped.at, ...turn } as SessionEvent;
}

/**
 * Pushes that are never stored; the matching `*-ended` event makes up for a lost one. `pieces` is how many deltas were
 * joined into one push for a subscriber that joined in the middle. Absent: one.
 */
export type Transient =
  | { readonly type: 'text-delta'; readonly callId: string; readonly text: string; readonly pieces?: number }
  | { readonly type: 'reasoning-delta'; readonly callId: string; readonly text: string; readonly pieces?: number }
  | {
      readonly type: 'output-chunk';
      readonly toolCallId: string;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | {
      readonly type: 'call-progress';
      readonly callId: string;
      readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
      readonly done: number;
      readonly total: number | null;
      /** How long the first word may take, in milliseconds. Absent: not known. */
      readonly limitMs?: number;
    };
