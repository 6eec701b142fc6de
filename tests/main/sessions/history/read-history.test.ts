import { expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { readHistory } from '../../../../src/main/sessions/history/read-history.ts';

const stage = { strategy: 'loop', model: 'a/b', where: 'local' } as const;
const limits = { maxSteps: 9, maxMinutes: 1, maxTokens: 9, maxUsd: null };

/** Eleven events: a message, its turn with eight actions, and its end. */
function turn(number: number): readonly NewEvent[] {
  const [turnId, messageId] = [`turn-${number}`, `message-${number}`];
  const about = { messageId, check: null, cascade: [stage], limits };
  return [
    { type: 'user-message-added', messageId, text: `Question ${number}`, queued: false },
    { type: 'turn-started', turnId, ...about },
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((action): NewEvent => {
      const toolCallId = `action-${number}-${action}`;
      return { type: 'tool-started', turnId, toolCallId, tool: 'read', by: 'recipe', input: {}, label: 'read' };
    }),
    { type: 'turn-ended', turnId, reason: 'answered', text: 'Yes.', confidence: null, failure: null },
  ];
}

const perTurn = 11;
const turns = 160;
const events = Array.from({ length: turns }, (_, index) => turn(index + 1))
  .flat()
  .map((event, index): SessionEvent => ({ ...event, v: 2, seq: index + 1, at: index }));

/** A log with a mark every 37 events, most of them in the middle of a turn. */
function logOf(all: readonly SessionEvent[]) {
  const reads: number[] = [];
  const marks = all.filter((_, index) => index % 37 === 0).map(({ seq }) => ({ seq: seq - 1, offset: seq * 1000 }));
  const read = async function* (fromSeq: number): AsyncIterable<SessionEvent> {
    reads.push(fromSeq);
    yield* all.slice(fromSeq - 1);
  };
  return { reads, marks, read };
}

const numberOf = (id: string | undefined): number => Number(id?.split('-')[1]);

it('the history of a session goes back through all turns, each whole and exactly once', async () => {
  const log = logOf(events);
  const seen: number[] = [];
  let before = (turns - 20) * perTurn + 2;
  for (let part = await readHistory(log, { before }); part !== null; part = await readHistory(log, { before })) {
    expect(part.toSeq).toBe(before);
    expect(part.actions).toHaveLength(part.turns.length * 8);
    for (const { messageId } of part.turns) expect(part.messages.map((one) => one.messageId)).toContain(messageId);
    seen.unshift(...part.turns.map(({ id }) => numberOf(id)));
    before = part.fromSeq;
  }
  expect(seen).toEqual(Array.from({ length: turns - 20 }, (_, index) => index + 1));
});

it('the history of a session reads only what is near the wanted place', async () => {
  const log = logOf(events);
  await readHistory(log, { before: 150 * perTurn + 2 });
  expect(log.reads).toEqual([expect.any(Number)]);
  expect(log.reads[0]).toBeGreaterThan(135 * perTurn);
});

it('the history of a session begins with the turn of an event, and goes on from its end', async () => {
  const log = logOf(events);
  const part = await readHistory(log, { from: 100 * perTurn + 7 });
  expect(part?.turns[0]?.id).toBe('turn-101');
  expect(part?.turns).toHaveLength(50);
  expect(part?.actions).toHaveLength(400);
  const next = await readHistory(log, { from: part?.toSeq ?? 0 });
  expect(next?.turns[0]?.id).toBe('turn-151');
});

it('the history of a session finds a turn that is longer than its first read', async () => {
  const long = Array.from({ length: 650 }, (_, index): NewEvent => {
    const toolCallId = `long-${index}`;
    return { type: 'tool-started', turnId: 'turn-2', toolCallId, tool: 'read', by: 'recipe', input: {}, label: 'read' };
  });
  const second = turn(2);
  const all = [...turn(1), ...second.slice(0, 2), ...long, ...second.slice(2), ...turn(3)].map(
    (event, index): SessionEvent => ({ ...event, v: 2, seq: index + 1, at: index }),
  );
  const log = logOf(all);
  const third = all.findLast((event) => event.type === 'turn-started')?.seq ?? 0;
  expect((await readHistory(log, { before: third }))?.turns.map(({ id }) => id)).toEqual(['turn-2']);
  expect((await readHistory(log, { from: third - 5 }))?.turns[0]?.id).toBe('turn-2');
});

it('the history of a session says when nothing is before the first turn', async () => {
  expect(await readHistory(logOf(events), { before: 2 })).toBeNull();
});
