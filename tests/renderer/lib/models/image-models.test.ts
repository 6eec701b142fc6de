import { describe, expect, it } from 'vitest';
import type { Where } from '../../../../src/shared/models/model-info.ts';
import type { MessageState, TurnState } from '../../../../src/shared/session/session-state.ts';
import { sendOptionsFor, imageModelsFor } from '../../../../src/renderer/lib/models/image-models.ts';
import type { ModelEntry } from '../../../../src/shared/contract/models-contract.ts';

function entry(id: string, where: Where, images: boolean, state: ModelEntry['state'] = 'ready'): ModelEntry {
  const capabilities = { tools: true, grammar: false, prefill: false, infill: false, countTokens: false, images };
  const known = { id, where, label: id };
  const info = { ...known, provider: id, name: id, contextTokens: 8192, parametersB: null, capabilities, price: null };
  return { ...known, state, sizeBytes: null, license: null, note: null, info: { ...info, strategies: ['loop'] } };
}

const blind = entry('blind/a', 'local', false);
const dim = entry('dim/a', 'cloud', false);
const eyes = entry('eyes/a', 'local', true);
const sky = entry('sky/a', 'cloud', true);
const models = [blind, dim, eyes, sky, entry('later/a', 'local', true, 'downloadable')];

function turn(...cascade: readonly ModelEntry[]): TurnState {
  return {
    id: 't1',
    seq: 2,
    messageId: 'm1',
    startedAt: 0,
    endedAt: 1,
    reason: 'missing',
    text: '',
    confidence: null,
    failure: { code: 'missing-model', message: 'It does not see pictures.' },
    steps: 0,
    actions: 0,
    check: null,
    before: null,
    after: null,
    cascade: cascade.map(({ id, where }) => ({ strategy: 'loop', model: id, where })),
    stages: [],
    limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
  };
}

const blob = { sha256: 'a'.repeat(64), bytes: 1 };
const message: MessageState = {
  messageId: 'm1',
  seq: 1,
  text: 'Look.',
  at: 0,
  attachments: [{ kind: 'image', name: 'a.png', blob, mediaType: 'image/png', width: 1, height: 1 }],
};

describe('the offer of models that see images', () => {
  it('lists those that can be called now, in the cloud only if the turn could have gone there', () => {
    const ids = (of: TurnState) => imageModelsFor(of, message, models)?.offered.map(({ id }) => id);
    expect(imageModelsFor(turn(blind), message, models)).toEqual({ offered: [eyes], kept: 1 });
    expect(ids(turn(blind, dim))).toEqual(['eyes/a', 'sky/a']);
    expect(ids(turn(dim))).toEqual(['eyes/a', 'sky/a']);
  });

  it('is not made for a turn that ended for another reason', () => {
    const { attachments: _, ...words } = message;
    const cancelled = { ...turn(blind), reason: 'cancelled' } as const;
    const wrong = [
      imageModelsFor(turn(blind), words, models),
      imageModelsFor(cancelled, message, models),
      imageModelsFor(turn(entry('gone/a', 'local', false)), message, models),
      imageModelsFor(turn(eyes), message, models),
    ];
    expect(wrong).toEqual([null, null, null, null]);
  });

  it('never sends on what was to stay here, but may bring cloud work here', () => {
    expect([
      sendOptionsFor(eyes, turn(dim)),
      sendOptionsFor(sky, turn(blind, dim)),
      sendOptionsFor(sky, turn(dim)),
    ]).toEqual([
      { policy: 'local', local: 'eyes/a' },
      { policy: 'hybrid', cloud: 'sky/a' },
      { policy: 'cloud', cloud: 'sky/a' },
    ]);
  });
});
