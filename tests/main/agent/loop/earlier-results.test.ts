import { describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';
import { keptResult } from '../../../../src/main/agent/loop/earlier-results.ts';
import { keptCounts } from '../../../../src/shared/session/reducers/kept-counts.ts';

/** A log of calls, each with its whole result if a text is given. `reads` counts how often the log was read through. */
async function logOf(calls: readonly { readonly id: string; readonly tool: string; readonly whole?: string }[]) {
  const journal = createMemoryJournal();
  let reads = 0;
  for (const { id, tool, whole } of calls) {
    const call = { toolCallId: id, tool, input: {} } as const;
    await journal.append({ type: 'tool-call-requested', ...call, callId: 'call-1', style: 'native', repairs: [] });
    await journal.append({ type: 'tool-started', ...call, by: 'model', label: tool });
    const full = whole === undefined ? null : await journal.putText([whole]);
    const end = { status: 'ok', output: '…', exitCode: null, durationMs: 1, data: null, dataBlob: null } as const;
    await journal.append({ type: 'tool-ended', toolCallId: id, tool, ...end, full });
  }
  const read: typeof journal.read = (fromSeq) => {
    reads += 1;
    return journal.read(fromSeq);
  };
  const dependencies = { journal: { ...journal, read } };
  /** Sets the conversation back to what it was at an event. */
  const restore = async (upToSeq: number): Promise<void> => {
    const scope = { files: false, conversation: true, cutTurnId: null };
    const began = await journal.append({ type: 'restore-began', checkpoint: 'm', upToSeq, ...scope });
    const end = { outcome: 'done' as const, restored: [], merged: [], kept: [] };
    await journal.append({ type: 'restore-ended', beganSeq: began.seq, ...end });
  };
  return {
    restore,
    // The function uses no other part of a turn.
    whole: (id: string | null) => keptResult({ dependencies } as unknown as Parameters<typeof keptResult>[0], id),
    reads: () => reads,
  };
}

describe('a result of which a part was shown', () => {
  const few = [
    { id: 'a', tool: 'tracker__list', whole: 'all of a' },
    { id: 'b', tool: 'read_file' },
    { id: 'c', tool: 'read_result', whole: 'all of c' },
  ];

  /** Catches: a long log that is read through for every look at a result. */
  it('is found without reading the log, which a wrong id does not need either', async () => {
    const log = await logOf(few);
    expect(await log.whole('a')).toBe('all of a');
    expect(await log.whole(null)).toBe('all of a');
    expect(await log.whole('c')).toBe('all of c');
    expect([await log.whole('b'), await log.whole('none')]).toEqual([null, null]);
    expect(log.reads()).toBe(0);
  });

  it('is found in the log after many later calls', async () => {
    const later = Array.from({ length: keptCounts.toolCalls }, (_, index) => ({
      id: `later-${index}`,
      tool: 'search',
    }));
    const log = await logOf([...few, ...later]);
    expect(await log.whole('a')).toBe('all of a');
    expect(await log.whole(null)).toBe('all of a');
    expect(await log.whole('none')).toBeNull();
  });

  /** Catches: the last result of a conversation that was set aside. */
  it('is not one that a restore took out of the conversation, until that is undone', async () => {
    const log = await logOf([...few, { id: 'd', tool: 'search', whole: 'all of d' }]);
    expect(await log.whole(null)).toBe('all of d');
    await log.restore(9);
    expect([await log.whole(null), await log.whole('d'), await log.whole('a')]).toEqual(['all of a', null, 'all of a']);
    await log.restore(12);
    expect([await log.whole(null), await log.whole('d')]).toEqual(['all of d', 'all of d']);
    await log.restore(0);
    expect([await log.whole(null), await log.whole('a')]).toEqual([null, null]);
  });
});
