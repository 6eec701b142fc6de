import { expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { partOf } from '@shared/session/session-part.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { conversationRows } from '../../../../src/renderer/lib/session/conversation-rows.ts';
import {
  keepLeavingTurns,
  firstLiveSeq,
  noHistory,
  addHistoryPart,
} from '../../../../src/renderer/lib/session/session-history.ts';
import type { History } from '../../../../src/renderer/lib/session/session-history.ts';
import { textPieces } from '../../../../src/renderer/lib/drawing/text-pieces.ts';

const limits = { maxSteps: 9, maxMinutes: 1, maxTokens: 9, maxUsd: null };

/** The states after each event of this many turns, with three events for each turn. */
function states(turns: number): readonly SessionState[] {
  const events = Array.from({ length: turns }, (_, index): readonly NewEvent[] => {
    const [turnId, messageId] = [`turn-${index}`, `message-${index}`];
    return [
      { type: 'user-message-added', messageId, text: 'q', queued: false },
      { type: 'turn-started', turnId, messageId, check: null, cascade: [], limits },
      { type: 'turn-ended', turnId, reason: 'answered', text: 'a', confidence: null, failure: null },
    ];
  })
    .flat()
    .map((event, index): SessionEvent => ({ ...event, v: 2, seq: index + 1, at: index }));
  let state = emptySession;
  return events.map((event) => (state = reduceSession(state, event)));
}

const all = states(230);
const last = (count: number): SessionState => all[count * 3 - 1] ?? emptySession;
const turnsOf = ({ parts }: History): readonly string[] => parts.flatMap(({ turns }) => turns.map(({ id }) => id));
const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `turn-${from + index}`);

it('the history of a session keeps the turns that leave the live state, in order', () => {
  let history = noHistory;
  for (const [index, state] of all.entries())
    history = keepLeavingTurns(history, all[index - 1] ?? emptySession, state);
  expect(turnsOf(history)).toEqual(names(0, 30));
  expect(history.parts).toHaveLength(1);
  expect(firstLiveSeq(last(230))).toBe(history.parts[0]?.toSeq);
});

it('the history of a session puts a loaded part in its place without duplicates', () => {
  const part = (from: number, to: number) => {
    const found = partOf(last(200), [from, to], to * 3 + 2);
    if (found === null) throw new Error('There are no such turns.');
    return found;
  };
  const live = 150 * 3 + 2;
  const far = addHistoryPart(noHistory, part(10, 20), live);
  const both = addHistoryPart(far, part(90, 160), live);
  expect(turnsOf(both)).toEqual([...names(10, 20), ...names(90, 150)]);
  const filled = addHistoryPart(both, part(15, 95), live);
  expect(turnsOf(filled)).toEqual(names(10, 150));
});

it('the history of a session says where turns are missing, and how many come before the first', () => {
  const state = last(230);
  const choices = { isOpen: () => false, texts: new Map() };
  const marks = (history: History) =>
    conversationRows({ state, history }, choices).filter(({ type }) => type === 'earlier' || type === 'gap');
  expect(marks(noHistory)).toMatchObject([{ type: 'earlier', count: 30, before: firstLiveSeq(state) }]);
  const found = partOf(last(30), [10, 20], 20 * 3 + 2);
  const history = { parts: found === null ? [] : [found], startSeq: null };
  expect(marks(history)).toMatchObject([
    { type: 'earlier', count: null },
    { type: 'gap', from: 62 },
  ]);
  expect(marks({ ...history, startSeq: found?.fromSeq ?? null })).toMatchObject([{ type: 'gap' }]);
});

it("the pieces of a long text are cut between blocks, never within a fence or before a link's address", () => {
  const paragraph = `${'word '.repeat(60)}\n\n`;
  const fence = `\`\`\`ts\n${'const a = 1;\n\n'.repeat(200)}\`\`\`\n\n`;
  const text = paragraph.repeat(5) + fence + paragraph.repeat(5);
  const pieces = textPieces(text);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('\n\n').replaceAll(/\s+/gu, ' ')).toBe(text.replaceAll(/\s+/gu, ' '));
  for (const piece of pieces) expect((piece.match(/```/gu) ?? []).length % 2).toBe(0);
  expect(textPieces(`${paragraph.repeat(20)}[a]: https://example.com`)).toHaveLength(1);
});
