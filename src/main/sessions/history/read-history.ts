import type { SessionEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { firstWholeTurn, partOf, type SessionPart } from '@shared/session/session-part.ts';
import type { LogPosition } from '../log/log-scan.ts';

/** A log that can be read from positions in it. */
export interface LogReader {
  /** About every MiB, in order. */
  readonly marks: readonly LogPosition[];
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

/** The turns that ended before an event, or the turns from the one that contains an event. */
export type HistoryPlace = { readonly before: number } | { readonly from: number };

const mostTurns = 50;
/** Less than a fold keeps, so that the first turn of a part is still complete after the last one was folded. */
const mostItems = 400;
/** The first attempt reads this many MiB before the place. Each later one reads twice as many. */
const firstReach = 2;

/**
 * Consecutive turns of a log with the same state as after folding the whole log, but only the MiBs around them are
 * read. Null: there are none. A turn with more items than a fold keeps has only the kept ones.
 */
export async function readHistory(log: LogReader, place: HistoryPlace): Promise<SessionPart | null> {
  const seq = 'before' in place ? place.before : place.from;
  const at = Math.max(
    0,
    log.marks.findLastIndex((mark) => mark.seq < seq),
  );
  for (let reach = firstReach; ; reach *= 2) {
    const index = Math.max(0, at - reach);
    const isStart = index === 0;
    const fromSeq = isStart ? 1 : (log.marks[index]?.seq ?? 0) + 1;
    const part = 'before' in place ? await readBefore(log, fromSeq, seq, isStart) : await readFrom(log, fromSeq, seq);
    if (part !== null || isStart) return part;
  }
}

async function readBefore(
  log: LogReader,
  fromSeq: number,
  before: number,
  isStart: boolean,
): Promise<SessionPart | null> {
  let state: SessionState = emptySession;
  for await (const event of log.read(fromSeq)) {
    if (event.seq >= before) break;
    state = reduceSession(state, event);
  }
  const whole = Math.max(firstWholeTurn(state), state.turns.length - mostTurns);
  const [first] = state.turns.slice(whole);
  const hasMessage = state.messages.some((message) => message.messageId === first?.messageId);
  // If the message of the first turn is further up, that turn is left to the part before.
  const from = hasMessage || isStart || whole === state.turns.length - 1 ? whole : whole + 1;
  if (!isStart && from === state.turns.length - 1 && !hasMessage) return null;
  return partOf(state, [from, state.turns.length], before);
}

async function readFrom(log: LogReader, fromSeq: number, seq: number): Promise<SessionPart | null> {
  let state: SessionState = emptySession;
  let target: { readonly id: string; readonly turns: number; readonly items: number } | null = null;
  let toSeq = Number.MAX_SAFE_INTEGER;
  for await (const event of log.read(fromSeq)) {
    if (event.type === 'turn-started') {
      const isFull =
        target !== null &&
        (state.totals.turns - target.turns >= mostTurns || itemsOf(state) - target.items > mostItems);
      if (event.seq > seq && isFull) {
        toSeq = event.seq;
        break;
      }
      const begins = { id: event.turnId ?? '', turns: state.totals.turns, items: itemsOf(state) };
      if (event.seq <= seq || (target === null && fromSeq === 1)) target = begins;
    }
    // The turn that contains it began before the part that was read.
    if (event.seq > seq && target === null && fromSeq > 1) return null;
    state = reduceSession(state, event);
  }
  const index = state.turns.findIndex((turn) => turn.id === target?.id);
  return index < 0 ? null : partOf(state, [index, state.turns.length], toSeq);
}

function itemsOf({ totals }: SessionState): number {
  return Math.max(totals.steps, totals.toolCalls, totals.actions);
}
