import type { OneAtATime } from '../../../lib/async/one-at-a-time.ts';
import type { StreamPart } from '../define.ts';
import { endedWith } from './call-ended.ts';

/**
 * Runs a call when its turn comes. The turn ends with the call, or when the caller stops reading. The waiting time
 * is added to the timings. `work` must not throw.
 */
export async function* streamInTurn(
  turn: OneAtATime,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
  work: () => AsyncIterable<StreamPart>,
): AsyncIterable<StreamPart> {
  const startedAt = now();
  if (!turn.isFree()) yield { type: 'progress', phase: 'waiting', done: 0, total: null };
  const leave = await turn.enter(signal);
  if (leave === null) {
    yield endedWith(null, startedAt, now());
    return;
  }
  const waitedMs = now() - startedAt;
  try {
    for await (const part of work()) {
      if (part.type !== 'ended') {
        yield part;
        continue;
      }
      leave();
      const { queuedMs, totalMs } = part.timings;
      yield { ...part, timings: { ...part.timings, queuedMs: queuedMs + waitedMs, totalMs: totalMs + waitedMs } };
    }
  } finally {
    leave();
  }
}
