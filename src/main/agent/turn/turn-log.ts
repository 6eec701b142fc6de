import { AppError } from '@shared/errors.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { Journal } from '../../sessions/journal/journal.ts';

/**
 * Writes the events of a turn. `append` is also where a cancelled turn stops: after an abort it throws `cancelled` and
 * writes nothing, so that nothing can begin. `close` always writes. Use it for the second half of a pair (`tool-ended`,
 * `model-call-ended`, `approval-answered`, `turn-ended`) and for what has already happened.
 */
export interface TurnLog {
  readonly append: (event: NewEvent) => Promise<SessionEvent>;
  readonly close: (event: NewEvent) => Promise<SessionEvent>;
  /** Throws `cancelled` if the turn was aborted. */
  readonly check: () => void;
  /**
   * The stamp of the last event, in milliseconds. Limits use it instead of the clock, so that a replay decides the same
   * at the same events.
   */
  readonly lastAt: () => number;
}

export function createTurnLog(
  journal: Journal,
  turnId: string,
  signal: AbortSignal,
  onEvent: (event: SessionEvent) => void,
): TurnLog {
  let lastAt = journal.now();
  // Events before `turn-started` belong to the session, not to the turn: a replay takes them from the log.
  let hasBegun = false;
  const check = (): void => {
    if (signal.aborted) throw new AppError('cancelled', 'It was cancelled.');
  };
  const close = async (event: NewEvent): Promise<SessionEvent> => {
    hasBegun = hasBegun || event.type === 'turn-started';
    const written = await journal.append(hasBegun ? { ...event, turnId } : event);
    lastAt = written.at;
    onEvent(written);
    return written;
  };
  return {
    check,
    close,
    append: async (event) => {
      check();
      return close(event);
    },
    lastAt: () => lastAt,
  };
}

export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}
