import { describe, expect, it } from 'vitest';
import type { MessageState, TurnState } from '../../../../../src/shared/session/session-state.ts';
import {
  pickOfTurn,
  regenerateOptions,
} from '../../../../../src/renderer/features/conversation/turns/regenerate-options.ts';

const small = { strategy: 'recipe', model: 'llama-cpp/small', where: 'local' } as const;
const large = { strategy: 'loop', model: 'sky/large', where: 'cloud' } as const;

const turn: TurnState = {
  id: 't1',
  seq: 2,
  messageId: 'm1',
  startedAt: 0,
  endedAt: 1,
  reason: 'done',
  text: 'Done.',
  confidence: null,
  failure: null,
  steps: 1,
  actions: 0,
  check: null,
  before: null,
  after: null,
  cascade: [small, large],
  stages: [],
  limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
};

const message: MessageState = { messageId: 'm1', seq: 1, text: 'Fix it.', at: 0 };
const again = (of: TurnState, said: MessageState) => regenerateOptions(pickOfTurn(of, said), of, said);

describe('a regeneration', () => {
  /** Catches: an answer again that forgets the effort, the assistant, the mode or the order that was chosen. */
  it('keeps model, effort, assistant, mode and order of the message', () => {
    const chosen = {
      policy: 'cloud',
      cloud: 'sky/large',
      thinking: 'high',
      mode: 'ask',
      assistant: 'ada',
      modelOrder: ['sky/cheap', 'sky/large'],
    } as const;
    const first = again({ ...turn, cascade: [large] }, { ...message, chosen });
    expect(first).toEqual(chosen);
    // The message of the branch has these options as its own choice, and is answered again.
    expect(again({ ...turn, cascade: [large] }, { ...message, chosen: first })).toEqual(first);
  });

  /** Catches: settings that were changed since and decide about an old message. */
  it('names the models that the turn had where nothing was chosen', () => {
    const models = { local: 'llama-cpp/small', cloud: 'sky/large' };
    expect(again(turn, message)).toEqual({ policy: 'hybrid', ...models });
    expect(again({ ...turn, cascade: [small] }, message)).toEqual({ policy: 'local', local: 'llama-cpp/small' });
    expect(again({ ...turn, cascade: [large] }, message)).toEqual({ policy: 'cloud', cloud: 'sky/large' });
    expect(again({ ...turn, cascade: [] }, message)).toEqual({});
    expect(again(turn, { ...message, chosen: { policy: 'economy' } })).toEqual({ policy: 'economy', ...models });
  });

  it('keeps mode, assistant and limits with another model, and drops the effort of the model before', () => {
    const chosen = { policy: 'local', thinking: 'max', mode: 'work', assistant: 'ada' } as const;
    const limited: TurnState = {
      ...turn,
      limits: { ...turn.limits, maxUsd: 0.5 },
      check: { command: 'npm test', source: 'option' },
    };
    const pick = { policy: 'cloud', cloud: 'sky/other' } as const;
    expect(regenerateOptions(pick, limited, { ...message, chosen })).toEqual({
      ...pick,
      mode: 'work',
      assistant: 'ada',
      maxUsd: 0.5,
      check: 'npm test',
    });
  });

  it('plans again, asks the assistant of an older log, and leaves a check of the project to the project', () => {
    const old: TurnState = {
      ...turn,
      cascade: [],
      mode: 'plan',
      assistant: 'ada',
      check: { command: 'npm test', source: 'project' },
    };
    expect(again(old, message)).toEqual({ mode: 'plan', assistant: 'ada' });
    expect(again({ ...old, mode: 'work' }, message)).toEqual({ assistant: 'ada' });
  });
});
