import { expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import type { TurnState } from '@shared/session/session-state.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { canFold, conversationRows } from '../../../../src/renderer/lib/session/conversation-rows.ts';
import { noHistory } from '../../../../src/renderer/lib/session/session-history.ts';
import { timelineOf } from '../../../../src/renderer/lib/session/turn-timeline.ts';

const limits = { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null };

function turn(id: string, actions: number): readonly NewEvent[] {
  const messageId = `m-${id}`;
  const calls = Array.from({ length: actions }, (_, index): NewEvent => {
    const toolCallId = `${id}-${index}`;
    return { type: 'tool-started', turnId: id, toolCallId, tool: 'x', by: 'recipe', input: {}, label: 'x' };
  });
  return [
    { type: 'user-message-added', messageId, text: id, queued: false },
    { type: 'turn-started', turnId: id, messageId, plan: false, criterion: null, cascade: [], limits },
    ...calls,
    { type: 'turn-ended', turnId: id, reason: 'answered', text: 'end', confidence: null, failure: null },
  ];
}

function stateOf(events: readonly NewEvent[]) {
  return events
    .map((event, index) => ({ ...event, v: 2, seq: index + 1, at: index }))
    .reduce(reduceSession, emptySession);
}

it('folds the rows of a long turn into one, and keeps its message and its end', () => {
  const state = stateOf([...turn('a', 9), ...turn('b', 9)]);
  const isFolded = (one: TurnState): boolean => one.id === 'a';
  const rows = conversationRows({ state, history: noHistory }, { isFolded, texts: new Map() }).map((row) => row.key);
  expect(rows.slice(0, 4)).toEqual(['m-a', 'folded-a', 'after-a', 'm-b']);
  expect(rows).toHaveLength(3 + 11);
});

it('never folds a turn that is short or still runs', () => {
  const running = turn('c', 9).slice(0, -1);
  const timelines = timelineOf(stateOf([...turn('a', 8), ...turn('b', 9), ...running]));
  expect(timelines.map(canFold)).toEqual([false, true, false]);
});

it('shows a message that waits although no turn runs', () => {
  const state = stateOf([{ type: 'user-message-added', messageId: 'late', text: 'x', queued: true }]);
  const rows = conversationRows({ state, history: noHistory }, { isFolded: () => false, texts: new Map() });
  expect(rows).toMatchObject([{ type: 'message', key: 'late', isWaiting: true }]);
});

it('shows a notice where it came: in its turn, or after it, and never below a later answer', () => {
  const notice = (text: string): NewEvent => ({ type: 'notice-added', level: 'info', code: 'x', text });
  const [asked, began, ...rest] = turn('a', 2);
  const events = [notice('first'), asked, began, notice('within'), ...rest, notice('after'), ...turn('b', 1)];
  const state = stateOf(events.filter((event) => event !== undefined));
  const rows = conversationRows({ state, history: noHistory }, { isFolded: () => false, texts: new Map() });
  const shown = rows.map((row) => (row.type === 'notice' ? row.notice.text : row.key));
  expect(shown).toEqual(['first', 'm-a', 'within', 'a-0', 'a-1', 'after-a', 'after', 'm-b', 'b-0', 'after-b']);
});
