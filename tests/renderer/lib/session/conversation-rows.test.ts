import { expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import type { TurnState } from '@shared/session/session-state.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { conversationRows } from '../../../../src/renderer/lib/session/conversation-rows.ts';
import { noHistory } from '../../../../src/renderer/lib/session/session-history.ts';

const limits = { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null };

function turn(id: string, actions: number): readonly NewEvent[] {
  const messageId = `m-${id}`;
  const calls = Array.from({ length: actions }, (_, index): NewEvent => {
    const toolCallId = `${id}-${index}`;
    return { type: 'tool-started', turnId: id, toolCallId, tool: 'x', by: 'recipe', input: {}, label: 'x' };
  });
  return [
    { type: 'user-message-added', messageId, text: id, queued: false },
    { type: 'turn-started', turnId: id, messageId, check: null, cascade: [], limits },
    ...calls,
    { type: 'turn-ended', turnId: id, reason: 'answered', text: 'end', confidence: null, failure: null },
  ];
}

function stateOf(events: readonly NewEvent[]) {
  return events
    .map((event, index) => ({ ...event, v: 2, seq: index + 1, at: index }))
    .reduce(reduceSession, emptySession);
}

const shownRows = (events: readonly NewEvent[], isOpen: (turn: TurnState) => boolean) =>
  conversationRows({ state: stateOf(events), history: noHistory }, { isOpen, texts: new Map() });

it('the rows of a conversation fold the work of a turn into one line, and open it in order', () => {
  const rows = shownRows([...turn('a', 2), ...turn('b', 2)], ({ id }) => id === 'b').map((row) => row.key);
  expect(rows).toEqual(['m-a', 'work-a', 'after-a', 'm-b', 'work-b', 'b-0', 'b-1', 'after-b']);
});

it('the rows of a conversation have a line for a turn that has begun, but not for one without work', () => {
  expect(shownRows(turn('a', 0), () => false).map((row) => row.key)).toEqual(['m-a', 'after-a']);
  const [asked, began] = turn('a', 0);
  const rows = shownRows(
    [asked, began].filter((event) => event !== undefined),
    () => true,
  );
  expect(rows.map((row) => row.key)).toEqual(['m-a', 'work-a', 'after-a']);
});

it('the rows of a conversation keep the text before a stop visible, and show nothing twice', () => {
  const [asked, began, ...rest] = turn('a', 0);
  const stage = { strategy: 'loop', model: 'p/m', where: 'local' } as const;
  const own = { turnId: 'a', callId: 'c' };
  const request = { sha256: 'a'.repeat(64), bytes: 1 };
  const usage = { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };
  const timings = { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 };
  const call: readonly NewEvent[] = [
    {
      type: 'model-call-started',
      ...own,
      step: 1,
      purpose: 'answer',
      stage,
      provider: 'p',
      model: 'm',
      request,
      promptTokens: 1,
    },
    {
      type: 'model-call-ended',
      ...own,
      parts: [{ type: 'text', text: 'Half of' }],
      stopReason: 'cancelled',
      usage,
      evaluatedTokens: 1,
      timings,
      price: null,
      costUsd: 0,
      error: null,
    },
  ];
  const events = (end: object): readonly NewEvent[] =>
    [asked, began, ...call, ...rest.map((event) => ({ ...event, ...end }))].filter((event) => event !== undefined);
  const kinds = (end: object) => shownRows(events(end), () => false).map((row) => row.type);
  expect(kinds({ reason: 'cancelled', text: 'Cancelled.' })).toEqual(['message', 'work', 'live', 'after']);
  expect(kinds({ reason: 'answered', text: 'Half of' })).toEqual(['message', 'work', 'after']);
});

it('the rows of a conversation show a waiting message when no turn runs', () => {
  const state = stateOf([{ type: 'user-message-added', messageId: 'late', text: 'x', queued: true }]);
  const rows = conversationRows({ state, history: noHistory }, { isOpen: () => true, texts: new Map() });
  expect(rows).toMatchObject([{ type: 'message', key: 'late', isWaiting: true }]);
});

it('the rows of a conversation show a waiting message below the last answer, not in its turn', () => {
  const next: NewEvent = { type: 'user-message-added', messageId: 'next', text: 'x', queued: false };
  for (const isOpen of [true, false]) {
    const keys = shownRows([...turn('a', 1), next], () => isOpen).map((row) => row.key);
    expect(keys).toEqual(['m-a', 'work-a', ...(isOpen ? ['a-0'] : []), 'after-a', 'next']);
  }
});

it('the rows of a conversation show a notice in its turn or right after it', () => {
  const notice = (text: string): NewEvent => ({ type: 'notice-added', level: 'info', code: 'x', text });
  const [asked, began, ...rest] = turn('a', 2);
  const events = [notice('first'), asked, began, notice('within'), ...rest, notice('after'), ...turn('b', 1)];
  const state = stateOf(events.filter((event) => event !== undefined));
  const rows = conversationRows({ state, history: noHistory }, { isOpen: () => true, texts: new Map() });
  const shown = rows.map((row) => (row.type === 'notice' ? row.notice.text : row.key));
  expect(shown).toEqual([
    'first',
    'm-a',
    'work-a',
    'within',
    'a-0',
    'a-1',
    'after-a',
    'after',
    'm-b',
    'work-b',
    'b-0',
    'after-b',
  ]);
});

/** Catches: a chart that is hidden together with the folded work that drew it. */
it('the rows of a conversation show a drawing with folded work, and beside its action when open', () => {
  const own = { turnId: 'a', toolCallId: 'a-0' };
  const image = { kept: true, blob: { sha256: 'a'.repeat(64), bytes: 1 }, mode: 420 } as const;
  const events = turn('a', 2).toSpliced(
    3,
    0,
    {
      type: 'file-changed',
      ...own,
      path: 'plot.png',
      before: null,
      after: image,
      by: 'recipe',
      added: null,
      removed: null,
      undoes: [],
    },
    {
      type: 'tool-ended',
      ...own,
      tool: 'x',
      status: 'ok',
      output: '',
      full: null,
      exitCode: 0,
      durationMs: 1,
      data: null,
      dataBlob: null,
    },
  );
  const keys = (isOpen: boolean) => shownRows(events, () => isOpen).map((row) => row.key);
  expect(keys(false)).toEqual(['m-a', 'work-a', 'drawn-a-0', 'after-a']);
  expect(keys(true)).toEqual(['m-a', 'work-a', 'a-0', 'drawn-a-0', 'a-1', 'after-a']);
});

it('the rows of a conversation fold the turns that a restore took out, and show them when opened', () => {
  const first = [...turn('a', 0), ...turn('b', 0), ...turn('c', 0)];
  const restore: readonly NewEvent[] = [
    { type: 'restore-began', checkpoint: 'm-b', upToSeq: 3, files: false, conversation: true, cutTurnId: null },
    { type: 'restore-ended', beganSeq: 10, outcome: 'done', restored: [], merged: [], kept: [] },
  ];
  const state = stateOf([...first, ...restore, ...turn('d', 0)]);
  const keys = (openRows: ReadonlySet<string>) =>
    conversationRows({ state, history: noHistory }, { isOpen: () => false, texts: new Map(), openRows }).map(
      (row) => row.key,
    );
  const [before, after] = [
    ['m-a', 'after-a', 'set-aside-b'],
    ['restore-10', 'm-d', 'after-d'],
  ];
  expect(keys(new Set())).toEqual([...before, ...after]);
  expect(keys(new Set(['set-aside-b']))).toEqual([...before, 'm-b', 'after-b', 'm-c', 'after-c', ...after]);
});
