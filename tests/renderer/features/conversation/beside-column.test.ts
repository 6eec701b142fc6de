import { describe, expect, it } from 'vitest';
import type { StepState } from '@shared/session/session-state.ts';
import { waitsFor, workOf } from '../../../../src/renderer/features/conversation/beside/beside-column.tsx';
import { emptyFeed, foldTransient } from '../../../../src/renderer/lib/session/live-feed.ts';

/** Catches: a column that names a model of another provider as the one before it, or waits for itself. */
const step = (provider: string, where: 'local' | 'cloud' = 'local'): StepState => ({
  callId: 'call',
  turnId: 'turn',
  step: 1,
  purpose: 'answer',
  stage: { strategy: 'loop', where, model: `${provider}/m` },
  provider,
  model: `${provider}/m`,
  where,
  reason: '',
  startedAt: 0,
  promptTokens: null,
  waitedMs: 0,
  end: null,
  toolCallIds: [],
  label: '',
});
const waiting = foldTransient(
  emptyFeed,
  { type: 'call-progress', callId: 'call', phase: 'waiting', done: 0, total: null },
  0,
);
const writing = foldTransient(emptyFeed, { type: 'text-delta', callId: 'call', text: 'Well' }, 0);

describe('a column that has not begun', () => {
  const working = new Map([[0, { name: 'Small', provider: 'llama-cpp' }]]);

  it('names the model of the same provider that it waits for', () => {
    expect(workOf(step('llama-cpp'), writing)).toBe('llama-cpp');
    expect(workOf(step('llama-cpp'), waiting)).toBeNull();
    expect(waitsFor({ working, at: 1 }, step('llama-cpp'), waiting)).toBe('Small');
  });

  it('waits for nobody elsewhere, for no other provider, not for itself, and not once it writes', () => {
    expect(waitsFor({ working, at: 1 }, step('ollama'), waiting)).toBeNull();
    expect(waitsFor({ working, at: 1 }, step('llama-cpp', 'cloud'), waiting)).toBeNull();
    expect(waitsFor({ working, at: 0 }, step('llama-cpp'), waiting)).toBeNull();
    expect(waitsFor({ working, at: 1 }, step('llama-cpp'), writing)).toBeNull();
  });
});
