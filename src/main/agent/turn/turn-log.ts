import { AppError } from '@shared/errors.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { Journal } from '../../sessions/journal/journal.ts';

/**
 * A turn's way to its journal. `append` is also the place where a cancelled turn stops: after an abort it throws
 * `cancelled` and writes nothing, so that nothing can begin. `close` writes in any case; it is for the second half
 * of a pair (`tool-ended`, `model-call-ended`, `approval-answered`, `turn-ended`) and for what has already happened.
 */
export interface TurnLog {
  readonly append: (event: NewEvent) => Promise<SessionEvent>;
  readonly close: (event: NewEvent) => Promise<SessionEvent>;
  /** Throws `cancelled` when the turn has been aborted. */
  readonly check: () => void;
  /**
   * The stamp of the last event, in milliseconds. Limits are measured by it rather than by the clock,
   * so that a replay takes the same decisions at the same events.
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
  // What is looked up before `turn-started` belongs to the session: a replay takes it from the log.
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
