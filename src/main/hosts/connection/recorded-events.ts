import type { SessionEvent } from '@shared/events/events.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { CoreClient } from '../../server/local-socket.ts';

/** All events that the log of a session holds now, the oldest first. */
export async function* recordedEvents(
  core: CoreClient,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent> {
  const reading = childAbort(signal);
  try {
    for await (const push of await core.sessions.events({ sessionId, fromSeq: 1 }, { signal: reading.signal })) {
      if (push.type === 'caught-up') return;
      if (push.type === 'events') yield* push.events;
    }
  } finally {
    reading.release();
    reading.abort();
  }
}
