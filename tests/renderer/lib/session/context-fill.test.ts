import { expect, it } from 'vitest';
import { contextFill } from '../../../../src/renderer/lib/session/context-fill.ts';
import type { StepState } from '../../../../src/shared/session/session-state.ts';
import { models } from '../../../fakes/page-scenes.ts';

const here = models.find(({ where, info }) => where === 'local' && info !== null);
const there = models.find(({ where, info }) => where === 'cloud' && info !== null);

function step(input: number, purpose: StepState['purpose'] = 'act', model = there?.id ?? ''): StepState {
  return {
    callId: `call-${String(input)}`,
    turnId: 'turn',
    step: 1,
    purpose,
    stage: { strategy: 'loop', model, where: 'cloud' },
    provider: 'example',
    model,
    where: 'cloud',
    reason: '',
    startedAt: 0,
    promptTokens: null,
    waitedMs: 0,
    end: {
      at: 1,
      stopReason: 'stop',
      usage: {
        cacheRead: input - 100,
        freshInput: 60,
        cacheWrite: 40,
        output: 0,
        reasoning: 0,
        estimated: false,
      },
      evaluatedTokens: null,
      timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 },
      costUsd: null,
      error: null,
      text: '',
    },
    toolCallIds: [],
    label: '',
  };
}

/** Catches: a conversation of a large model that is said to fit a small one, which would then silently cut it. */
it('the fill of the context is measured by the model that gets the next message', () => {
  const steps = [step(24_000)];
  expect(contextFill(steps, models, null)).toEqual({ used: 24_000, all: 200_000, level: 'free' });
  const small = { type: 'model', where: 'local', id: here?.id ?? '' } as const;
  // Of 32,768 tokens 8,192 are reserved for the answer. Nine tenths of the rest may be filled.
  expect(contextFill(steps, models, small)).toEqual({ used: 24_000, all: 32_768, level: 'over' });
  expect(contextFill([step(20_000)], models, small)?.level).toBe('near');
  expect(contextFill([step(15_000)], models, small)?.level).toBe('free');
});

/** Catches: a call for the session's title, which has its own short prompt, that makes a full context look empty. */
it('the fill of the context counts only calls of the conversation', () => {
  expect(contextFill([step(24_000), step(300, 'title')], models, null)?.used).toBe(24_000);
  expect(contextFill([step(300, 'title')], models, null)).toBeNull();
  expect(contextFill([step(300, 'act', 'gone/model')], models, null)).toBeNull();
});
