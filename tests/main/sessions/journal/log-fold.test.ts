import { describe, expect, it } from 'vitest';
import { createLogFold } from '../../../../src/main/sessions/journal/log-fold.ts';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';

/** A log that counts what was read of it, and fails where it is told to. */
function logOf(count: number) {
  const events = Array.from({ length: count }, (_, index) => eventAt(index + 1));
  const log = {
    events,
    given: 0,
    failsAt: 0,
    read: async function* read(fromSeq = 1): AsyncGenerator<SessionEvent> {
      for (const event of events) {
        if (event.seq < fromSeq) continue;
        await Promise.resolve();
        if (event.seq === log.failsAt) throw new Error('The disk is gone.');
        log.given += 1;
        yield event;
      }
    },
  };
  return log;
}

function eventAt(seq: number): SessionEvent {
  return { type: 'message-dropped', messageId: `m${seq}`, v: 1, seq, at: seq };
}

const seqsIn = () =>
  createLogFold<number[]>(
    () => [],
    (seqs, event) => void seqs.push(event.seq),
  );

describe('what is folded from a log', () => {
  /** Catches: a long log that is read whole again for each question about a program. */
  it('reads each event once, however often it is asked', async () => {
    const log = logOf(100);
    const seqs = seqsIn();
    expect(await seqs(log)).toHaveLength(100);
    log.events.push(eventAt(101));
    expect((await seqs(log)).at(-1)).toBe(101);
    await seqs(log);
    expect(log.given).toBe(101);
  });

  it('has no event twice for readers at the same time', async () => {
    const log = logOf(20);
    const seqs = seqsIn();
    const [one, other] = await Promise.all([seqs(log), seqs(log)]);
    expect(one).toEqual(other);
    expect(one).toEqual(log.events.map(({ seq }) => seq));
  });

  it('goes on where a reader failed', async () => {
    const log = logOf(10);
    const seqs = seqsIn();
    log.failsAt = 6;
    await expect(seqs(log)).rejects.toThrow('The disk is gone.');
    log.failsAt = 0;
    expect(await seqs(log)).toEqual(log.events.map(({ seq }) => seq));
  });

  it('is another for each log', async () => {
    const seqs = seqsIn();
    await seqs(logOf(3));
    expect(await seqs(logOf(2))).toEqual([1, 2]);
  });
});
