import { describe, expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import { emptyMoney } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { emptyFeed, foldTransient, dropSettledParts } from '../../../../src/renderer/lib/session/live-feed.ts';
import { noHistory } from '../../../../src/renderer/lib/session/session-history.ts';
import { timelineOf } from '../../../../src/renderer/lib/session/turn-timeline.ts';
import { foldPush } from '../../../../src/renderer/lib/session/use-session.ts';

const stage = { strategy: 'loop', model: 'a/b', where: 'local' } as const;
const blob = { sha256: 'a'.repeat(64), bytes: 1 };
const usage = { freshInput: 5, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0, estimated: false };
const timings = { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 10 };

const message = (messageId: string, queued: boolean): NewEvent => ({
  type: 'user-message-added',
  messageId,
  text: messageId,
  queued,
});
const turn = (turnId: string, messageId: string): NewEvent => ({
  type: 'turn-started',
  turnId,
  messageId,
  check: null,
  cascade: [stage],
  limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
});
const started = (turnId: string, callId: string, step: number): NewEvent => ({
  type: 'model-call-started',
  turnId,
  callId,
  step,
  purpose: 'act',
  stage,
  provider: 'a',
  model: 'a/b',
  request: blob,
  promptTokens: 5,
});
const ended = (turnId: string, callId: string): NewEvent => ({
  type: 'model-call-ended',
  turnId,
  callId,
  parts: [],
  stopReason: 'stop',
  usage,
  evaluatedTokens: null,
  timings,
  price: null,
  costUsd: 0.5,
  error: null,
});
const action = (turnId: string, toolCallId: string): NewEvent => ({
  type: 'tool-started',
  turnId,
  toolCallId,
  tool: 'run_tests',
  by: 'recipe',
  input: {},
  label: 'run the tests',
});
const progress = (turnId: string, phase: string, text: string): NewEvent => ({
  type: 'recipe-progressed',
  turnId,
  recipe: 'fix',
  phase,
  text,
  data: null,
});
const over = (turnId: string): NewEvent => ({
  type: 'turn-ended',
  turnId,
  reason: 'done',
  text: '',
  confidence: null,
  failure: null,
});

const stamp = (events: readonly NewEvent[]) =>
  events.map((event, index) => ({ ...event, v: 2, seq: index + 1, at: index }));

const log = stamp([
  message('m1', false),
  turn('t1', 'm1'),
  action('t1', 'k1'),
  started('t1', 'c1', 1),
  message('m2', true),
  ended('t1', 'c1'),
  progress('t1', 'locate', 'first'),
  progress('t1', 'sample', 'one'),
  progress('t1', 'locate', 'second'),
  over('t1'),
  turn('t2', 'm2'),
  started('t2', 'c2', 2),
]);

describe('the timeline of turns', () => {
  it('puts steps, actions and late messages into their turn, in order', () => {
    const turns = timelineOf(log.slice(0, 10).reduce(reduceSession, emptySession));
    expect(turns.map(({ message: first, rows }) => [first?.text, rows.map((row) => `${row.type} ${row.key}`)])).toEqual(
      [['m1', ['action k1', 'step c1', 'message m2', 'note note-7', 'note note-8', 'note note-9']]],
    );
    expect(turns[0]?.rows[2]).toMatchObject({ isWaiting: true });
  });

  it('shows a message that opened a turn in that turn', () => {
    const turns = timelineOf(log.reduce(reduceSession, emptySession));
    expect(turns.map(({ message: first, rows }) => [first?.text, rows.map((row) => row.key)])).toEqual([
      ['m1', ['k1', 'c1', 'note-7', 'note-8', 'note-9']],
      ['m2', ['c2']],
    ]);
  });

  it('shows the notes of a recipe in place, and only the latest line of a phase', () => {
    const noted = stamp([
      message('m1', false),
      turn('t1', 'm1'),
      progress('t1', 'locate', 'first'),
      progress('t1', 'locate', 'second'),
      started('t1', 'c1', 1),
      ended('t1', 'c1'),
      progress('t1', 'locate', 'third'),
      progress('t1', 'judge', 'one'),
      action('t1', 'k1'),
      over('t1'),
    ]);
    const [first] = timelineOf(noted.reduce(reduceSession, emptySession));
    const shown = first?.rows.map((row) => (row.type === 'note' ? row.note.text : row.key));
    expect(shown).toEqual(['second', 'c1', 'third', 'one', 'k1']);
  });
});

describe('the live feed of a turn', () => {
  it('gathers the text and keeps it until another call begins, so that it never blinks', () => {
    const spoken = [
      { type: 'call-progress', callId: 'c1', phase: 'prefill', done: 1, total: 4 } as const,
      { type: 'text-delta', callId: 'c1', text: 'ab' } as const,
      { type: 'text-delta', callId: 'c1', text: 'c' } as const,
      { type: 'output-chunk', toolCallId: 'k1', stream: 'stdout', text: 'out' } as const,
    ].reduce(foldTransient, emptyFeed);
    expect(spoken).toEqual({
      calls: {
        c1: {
          text: 'abc',
          reasoning: '',
          pieces: 2,
          phase: 'decode',
          done: 1,
          total: 4,
          limitMs: null,
          leftMs: null,
          since: { at: 1, done: 0 },
        },
      },
      outputs: { k1: 'out' },
    });
    const end = log.find((event) => event.type === 'model-call-ended');
    expect(end && dropSettledParts(spoken, end)).toEqual(spoken);
    const next = log.find((event) => event.type === 'model-call-started');
    expect(next && dropSettledParts(spoken, next)).toEqual({ calls: {}, outputs: { k1: 'out' } });
  });

  it('keeps only the end of a long output', () => {
    const chunk = {
      type: 'output-chunk',
      toolCallId: 'k',
      stream: 'stdout',
      text: `${'x'.repeat(19_000)}end`,
    } as const;
    const { outputs } = foldTransient(emptyFeed, chunk, 0);
    expect([outputs.k?.length, outputs.k?.endsWith('end')]).toEqual([16_000, true]);
  });

  /** Catches: an estimate from the first moment, for work of unknown size, or from the phase before. */
  it('says how long a phase still takes, if that is known', () => {
    const progress = (phase: 'loading' | 'prefill', done: number, total: number | null) =>
      ({ type: 'call-progress', callId: 'c', phase, done, total }) as const;
    const steps: readonly (readonly [number, ReturnType<typeof progress>])[] = [
      [0, progress('loading', 5, null)],
      [9_000, progress('loading', 50, null)],
      [10_000, progress('prefill', 100, 1_100)],
      [11_000, progress('prefill', 150, 1_100)],
      [15_000, progress('prefill', 350, 1_100)],
      [26_000, progress('prefill', 900, 1_100)],
    ];
    let feed = emptyFeed;
    const left = steps.map(([at, push]) => {
      feed = foldTransient(feed, push, at);
      return feed.calls.c?.leftMs;
    });
    // 250 tokens were read in five seconds. The 200 that are left take too short a time to be shown.
    expect(left).toEqual([null, null, null, null, 15_000, null]);
  });
});

it('the state of a session counts an event once, however often it is sent', () => {
  const start = { state: emptySession, money: emptyMoney, feed: emptyFeed, history: noHistory };
  const once = foldPush(start, { type: 'events', events: log });
  const twice = foldPush(once, { type: 'events', events: log.slice(3) });
  expect(twice).toEqual(once);
  expect(twice.money.costUsd).toBe(0.5);
});
