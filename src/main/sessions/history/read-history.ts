import type { SessionEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { firstWholeTurn, partOf, type SessionPart } from '@shared/session/session-part.ts';
import type { LogPosition } from '../log/log-scan.ts';

/** A log to look into, by its places. */
export interface LogReader {
  /** About every MiB, in order. */
  readonly marks: readonly LogPosition[];
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

/** The turns that ended before an event, or those from the turn on in which an event lies. */
export type HistoryPlace = { readonly before: number } | { readonly from: number };

const mostTurns = 50;
/** Below what a fold keeps: the first turn of a part must still have all of its own when the last was folded. */
const mostItems = 400;
/** The first try reads this many MiB before the place; each later one twice as many. */
const firstReach = 2;

/**
 * Neighboring turns of a log, folded as the whole would have: only the MiBs around them are read. Null: there are none.
 * A turn that has more than a fold keeps is given with what it keeps.
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
  // What it answers stands further up: then it is left to the part before this one.
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
    // The turn that it lies in began before what was read.
    if (event.seq > seq && target === null && fromSeq > 1) return null;
    state = reduceSession(state, event);
  }
  const index = state.turns.findIndex((turn) => turn.id === target?.id);
  return index < 0 ? null : partOf(state, [index, state.turns.length], toSeq);
}

function itemsOf({ totals }: SessionState): number {
  return Math.max(totals.steps, totals.toolCalls, totals.actions);
}
