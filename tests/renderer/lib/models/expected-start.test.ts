import { describe, expect, it } from 'vitest';
import type { StepState } from '@shared/session/session-state.ts';
import type { EngineUse } from '../../../../src/renderer/lib/models/expected-start.ts';
import {
  callLeftMs,
  expectedStart,
  measuredModel,
  roughMs,
  usualAnswerTokens,
} from '../../../../src/renderer/lib/models/expected-start.ts';
import type { LiveCall } from '../../../../src/renderer/lib/session/live-feed.ts';
import { emptyFeed, foldTransient } from '../../../../src/renderer/lib/session/live-feed.ts';

const use = (more: Partial<EngineUse> = {}): EngineUse => ({
  name: 'Small',
  provider: 'llama-cpp',
  isWaiting: false,
  startedAt: 0,
  leftMs: 40_000,
  ...more,
});
const waiting = (more: Partial<EngineUse> = {}): EngineUse => use({ name: 'Other', isWaiting: true, ...more });
const row = (...uses: readonly EngineUse[]) => new Map(uses.map((one, at) => [at, one] as const));

/** Catches: a column that names a model of another provider as the one before it, waits for itself, or invents a time. */
describe('the expected start of a call that waits', () => {
  it('is when all calls before it on the same engine are done, and names the one that runs', () => {
    expect(expectedStart(row(use(), waiting()), 1)).toEqual({ after: 'Small', inMs: 40_000 });
    const three = row(use(), waiting({ startedAt: 1, leftMs: 25_000 }), waiting({ startedAt: 2 }));
    expect(expectedStart(three, 2)).toEqual({ after: 'Small', inMs: 65_000 });
    expect(expectedStart(three, 1)).toEqual({ after: 'Small', inMs: 40_000 });
  });

  it('is unknown when one call before it cannot be told', () => {
    const three = row(use(), waiting({ startedAt: 1, leftMs: null }), waiting({ startedAt: 2 }));
    expect(expectedStart(three, 2)).toEqual({ after: 'Small', inMs: null });
  });

  it('is none with another provider, for a call that runs, and with nothing before it', () => {
    expect(expectedStart(row(use(), waiting({ provider: 'ollama' })), 1)).toBeNull();
    expect(expectedStart(row(use(), waiting()), 0)).toBeNull();
    expect(expectedStart(row(waiting()), 0)).toBeNull();
    expect(expectedStart(new Map(), 0)).toBeNull();
  });
});

const measured = { writesPerSecond: 10, readsPerSecond: 100, firstTokenMs: null };
const asked = { measured, usualTokens: 200, now: 10_000 };
const progress = (done: number, at: number, feed = emptyFeed) =>
  foldTransient(feed, { type: 'call-progress', callId: 'c', phase: 'prefill', done, total: 1_000 }, at);
const words = (pieces: number, at: number, feed = emptyFeed) =>
  foldTransient(feed, { type: 'text-delta', callId: 'c', text: 'x', pieces }, at);
const call = (feed: typeof emptyFeed): LiveCall | undefined => feed.calls.c;

describe('the time that a call needs', () => {
  it('comes from the speed of the running answer, once that says something, else from what was measured', () => {
    const fast = call(words(80, 9_000, words(20, 6_000)));
    // 80 pieces since 6 s, the first 20 of them at once.
    expect(callLeftMs({ live: fast, promptTokens: 500 }, asked)).toBeCloseTo((100 * 1_000) / 25, 0);
    const begun = call(words(20, 9_900));
    expect(callLeftMs({ live: begun, promptTokens: 500 }, asked)).toBe(18_000);
  });

  it('includes the reading, by its progress, by an earlier call or by the measured speed', () => {
    const reading = call(progress(500, 9_000, progress(100, 6_000)));
    expect(callLeftMs({ live: reading, promptTokens: 1_000 }, asked)).toBe(5_000 + 20_000);
    expect(callLeftMs({ live: undefined, promptTokens: 500 }, asked)).toBe(5_000 + 20_000);
    const loaded = { ...asked, measured: { ...measured, firstTokenMs: 7_000 } };
    expect(callLeftMs({ live: undefined, promptTokens: 500 }, loaded)).toBe(27_000);
  });

  it('is unknown without a measured speed, and for an answer that is already longer than usual', () => {
    const none = { ...asked, measured: { writesPerSecond: null, readsPerSecond: null, firstTokenMs: null } };
    expect(callLeftMs({ live: undefined, promptTokens: 500 }, none)).toBeNull();
    const noReading = { ...asked, measured: { ...measured, readsPerSecond: null } };
    expect(callLeftMs({ live: undefined, promptTokens: 500 }, noReading)).toBeNull();
    expect(callLeftMs({ live: call(words(200, 9_900)), promptTokens: 500 }, asked)).toBeNull();
  });
});

const step = (model: string, decodeMs: number | null): StepState => ({
  callId: model,
  turnId: 'turn',
  step: 1,
  purpose: 'answer',
  stage: { strategy: 'loop', where: 'local', model },
  provider: 'llama-cpp',
  model,
  where: 'local',
  reason: '',
  startedAt: 0,
  promptTokens: null,
  waitedMs: 0,
  end: {
    at: 1,
    stopReason: 'stop',
    usage: { freshInput: 300, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 0, estimated: false },
    evaluatedTokens: 300,
    timings: { queuedMs: 1_000, prefillMs: 3_000, decodeMs, totalMs: 20_000 },
    costUsd: 0,
    error: null,
    text: '',
  },
  toolCallIds: [],
  label: '',
});

describe('what was measured of a model', () => {
  it('comes from its own last call, else from its probe, else is unknown', () => {
    const steps = [step('m/a', 10_000), step('m/a', 5_000), step('m/b', 1_000), step('m/a', null)];
    expect(measuredModel('m/a', steps, undefined)).toEqual({
      writesPerSecond: 10,
      readsPerSecond: 100,
      firstTokenMs: 14_000,
    });
    expect(measuredModel('m/c', steps, undefined)).toEqual({
      writesPerSecond: null,
      readsPerSecond: null,
      firstTokenMs: null,
    });
  });

  it('is an answer of middle length, and a guess until one is known', () => {
    expect(usualAnswerTokens([900, 40, 60])).toBe(60);
    expect(usualAnswerTokens([0])).toBe(250);
  });
});

describe('a time that is not exact', () => {
  it.each([
    [2_000, 10_000],
    [44_000, 40_000],
    [95_000, 120_000],
    [700_000, 600_000],
  ])('shows %d ms as %d', (exact, rough) => {
    expect(roughMs(exact)).toBe(rough);
  });
});
