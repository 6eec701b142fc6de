import { describe, expect, it } from 'vitest';
import { describeModel } from '../../../../../../src/main/hosts/cli/commands/models/models.command.ts';
import type { ModelInfo } from '../../../../../../src/shared/models/model-info.ts';
import { loopModel } from '../../../../../fakes/agent-kit.ts';

const lineOf = (info: Partial<ModelInfo>): string | undefined => {
  const { id, label, where } = loopModel;
  const entry = { id, label, where, state: 'ready', sizeBytes: null, licence: null, note: null } as const;
  const text = describeModel({ ...entry, info: { ...loopModel, ...info } });
  return text.split('\n').find((line) => line.startsWith('can '));
};

describe('one model, as it is shown', () => {
  it('says what it can, and how hard it is told to think', () => {
    const capabilities = { ...loopModel.capabilities, images: true, reasoning: true, cache: true };
    expect(lineOf({ capabilities, effort: 'high' })).toBe(
      'can         call tools, read images, think (effort: high), cache prompts',
    );
    expect(lineOf({ capabilities: { ...loopModel.capabilities, tools: false } })).toBe('can         answer in text');
  });
});
