import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/shared/events/events.ts';
import { createCostFold } from '../../../src/shared/money/cost-report.ts';
import { emptyMoney, reduceMoney } from '../../../src/shared/money/session-money.ts';
import { noUsage } from '../../../src/shared/money/token-cost.ts';
import { addLost, noneLost, lostUsd, lostSum, type LostCalls } from '../../../src/shared/money/lost-calls.ts';

/** Catches: money for calls that were of no use, which hides among the rest, or is counted in one place only. */
let seq = 0;
const base = () => ({ v: 1, seq: (seq += 1), at: 0, sessionId: 's' }) as const;
const timings = { queuedMs: 0, prefillMs: 0, decodeMs: 0, totalMs: 0 };

/** Only the fields that the sums read are given. */
function call(callId: string, end: object): readonly SessionEvent[] {
  const stage = { model: 'sky/model', where: 'cloud', strategy: 'loop' };
  const started = { ...base(), type: 'model-call-started', callId, stage };
  const usual = { parts: [], stopReason: 'stop', usage: noUsage, timings, costUsd: 1, error: null };
  const ended = { ...base(), type: 'model-call-ended', callId, ...usual, ...end };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the events of a test have only what is read
  return [started, ended] as unknown as readonly SessionEvent[];
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
const one = (event: object): SessionEvent => ({ ...base(), ...event }) as SessionEvent;
const notice = (code: string): SessionEvent => one({ type: 'notice-added', level: 'info', code, text: '' });
const tool = one({ type: 'tool-started', toolCallId: 't', tool: 'read_file' });
const error = { code: 'network', message: 'It broke off.', retryable: true };
const text = { parts: [{ type: 'text', text: 'So' }] };

/** As the list of costs sums it, and as a session does: both have to agree. */
function lostOf(events: readonly SessionEvent[]): LostCalls {
  const fold = createCostFold(() => '2026-11-30');
  for (const event of events) fold.add(event);
  const sums = fold.cells().reduce((all, { totals }) => addLost(all, totals.lost), noneLost);
  expect(events.reduce(reduceMoney, emptyMoney).lost).toEqual(sums);
  return sums;
}

const calls = ({ failed, cancelled, sentBack }: LostCalls) => [failed.calls, cancelled.calls, sentBack.calls];

describe('money that was paid for nothing', () => {
  it('is that of failed and cancelled calls, and of answers that were sent back', () => {
    const lost = lostOf([
      ...call('a', { costUsd: 0.5 }),
      ...call('b', { stopReason: 'error', error, costUsd: 0.25 }),
      ...call('c', { stopReason: 'cancelled', costUsd: 0.125 }),
      ...call('d', { costUsd: 2 }),
      notice('no-call'),
    ]);
    expect(calls(lost)).toEqual([1, 1, 1]);
    expect(lost.sentBack.costUsd).toBe(2);
    expect(lostUsd(lostSum(lost))).toBe(2.375);
  });

  it.each([
    ['tools ran', [...call('a', {}), tool, notice('call-cut')]],
    ['its text is kept and continued', [...call('a', text), notice('answer-cut')]],
    ['the note is about something else', [...call('a', {}), notice('money-near')]],
  ])('has nothing of an answer of which %s', (_, events) => {
    expect(calls(lostOf(events))).toEqual([0, 0, 0]);
  });

  it('has an answer that was only thoughts, and each call once', () => {
    expect(calls(lostOf([...call('a', {}), notice('answer-cut'), notice('no-call')]))).toEqual([0, 0, 1]);
    expect(calls(lostOf([...call('a', { stopReason: 'cancelled' }), notice('no-call')]))).toEqual([0, 1, 0]);
  });

  it('is unknown where the price of one call is', () => {
    const lost = lostOf([...call('a', { stopReason: 'error', error, costUsd: null })]);
    expect(lostUsd(lost.failed)).toBeNull();
    expect(lostUsd(lost.cancelled)).toBe(0);
  });

  it('does not come along with a copied history: another session paid', () => {
    const copied = one({ type: 'history-copied' });
    expect(
      calls(lostOf([...call('a', { stopReason: 'cancelled' }), ...call('b', {}), copied, notice('no-call')])),
    ).toEqual([0, 0, 0]);
  });
});
