import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@shared/errors.ts';
import type { SessionEvent, Transient } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { createPushQueue } from '../../lib/async/push-queue.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

/** What a subscriber of a log receives: events in order and transients, or a snapshot if it fell too far behind. */
export type LogPush =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'transient'; readonly transient: Transient }
  | { readonly type: 'snapshot' };

/** A log that is still growing. The next push waits for the promise of a listener. */
export interface FollowedLog {
  state(): Pick<SessionState, 'seq'>;
  /** Returns a function that ends the subscription. */
  subscribe(fromSeq: number, listener: (push: LogPush) => void | Promise<void>): () => void;
}

const mostWaiting = 256;

/**
 * A session as a stream: everything from `fromSeq` on, then new events. Items come in arrays, and other work gets a
 * turn between two arrays, so that neither a long log nor a fast model blocks the process.
 */
export async function* sessionStream(
  open: () => Promise<FollowedLog>,
  fromSeq: number,
  signal: AbortSignal,
): AsyncGenerator<SessionPush> {
  const queue = createPushQueue<LogPush>(signal, mostWaiting);
  const log = await open();
  const { seq } = log.state();
  const stop = log.subscribe(fromSeq, (push) => queue.push(push));
  let isCaughtUp = fromSeq > seq;
  try {
    if (isCaughtUp) yield { type: 'caught-up', seq };
    for (let pushes = await queue.take(); pushes !== null; pushes = await queue.take()) {
      for (const push of batches(pushes)) {
        yield push;
        if (isCaughtUp || push.type !== 'events' || (push.events.at(-1)?.seq ?? 0) < seq) continue;
        isCaughtUp = true;
        yield { type: 'caught-up', seq };
      }
      await nextTurn();
    }
  } finally {
    stop();
    queue.end();
  }
}

/** Groups neighbors of the same kind, in their order. */
function* batches(pushes: readonly LogPush[]): Iterable<SessionPush> {
  let events: SessionEvent[] = [];
  let items: Transient[] = [];
  for (const push of pushes) {
    if (push.type === 'snapshot')
      throw new AppError('conflict', 'The connection is too slow for this session. Open the session again.');
    if (push.type === 'event') {
      if (items.length > 0) yield { type: 'transients', items };
      items = [];
      events.push(push.event);
    } else {
      if (events.length > 0) yield { type: 'events', events };
      events = [];
      items.push(push.transient);
    }
  }
  if (events.length > 0) yield { type: 'events', events };
  if (items.length > 0) yield { type: 'transients', items };
}
