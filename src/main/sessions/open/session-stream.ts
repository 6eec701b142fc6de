import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SessionPush } from '@shared/contract/contract.ts';
import { AppError } from '@shared/errors.ts';
import type { SessionEvent, Transient } from '@shared/events/events.ts';
import type { CoreApi, CorePush } from '../../server/core-api.ts';
import { createPushQueue } from '../../lib/async/push-queue.ts';

const mostWaiting = 256;

/**
 * A session as a stream: everything from `fromSeq`, then what happens. Items go in arrays, and between two arrays other
 * work gets a turn, so that neither a long log nor a fast model blocks the process.
 */
export async function* sessionStream(
  core: CoreApi,
  sessionId: string,
  fromSeq: number,
  signal: AbortSignal,
): AsyncGenerator<SessionPush> {
  const queue = createPushQueue<CorePush>(signal, mostWaiting);
  const { state } = await core.showSession(sessionId);
  const stop = await core.subscribe(sessionId, fromSeq, (push) => queue.push(push));
  let isCaughtUp = fromSeq > state.seq;
  try {
    if (isCaughtUp) yield { type: 'caught-up', seq: state.seq };
    for (let pushes = await queue.take(); pushes !== null; pushes = await queue.take()) {
      for (const push of batches(pushes)) {
        yield push;
        if (isCaughtUp || push.type !== 'events' || (push.events.at(-1)?.seq ?? 0) < state.seq) continue;
        isCaughtUp = true;
        yield { type: 'caught-up', seq: state.seq };
      }
      await nextTurn();
    }
  } finally {
    stop();
    queue.end();
  }
}

/** Neighbours of one kind together, the order kept. */
function* batches(pushes: readonly CorePush[]): Iterable<SessionPush> {
  let events: SessionEvent[] = [];
  let items: Transient[] = [];
  for (const push of pushes) {
    if (push.type === 'snapshot')
      throw new AppError('conflict', 'The reader fell too far behind; open the session again.');
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
