import type { SessionEvent } from '@shared/events/events.ts';
import type { Journal } from './journal.ts';

interface Folded<T> {
  readonly state: T;
  /** The last event that is in it. */
  seq: number;
  /** Readers come one after the other, so that no event is added twice. */
  reading: Promise<unknown>;
}

/**
 * What a session's log says of one subject. It is read once; each later call adds only the events that came since. The
 * state is changed in place, so a caller takes what it needs before it waits for something else.
 */
export function createLogFold<T>(
  empty: () => T,
  add: (state: T, event: SessionEvent) => void,
): (journal: Pick<Journal, 'read'>) => Promise<T> {
  const folds = new WeakMap<object, Folded<T>>();
  return async (journal) => {
    const known = folds.get(journal);
    const fold = known ?? { state: empty(), seq: 0, reading: Promise.resolve() };
    if (known === undefined) folds.set(journal, fold);
    const reading = fold.reading.then(async () => {
      for await (const event of journal.read(fold.seq + 1)) {
        add(fold.state, event);
        fold.seq = event.seq;
      }
    });
    // One reader's failure is its own; the next one goes on where it stopped.
    fold.reading = reading.catch(() => undefined);
    await reading;
    return fold.state;
  };
}
