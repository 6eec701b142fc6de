import { describe, expect, it } from 'vitest';
import { openConversationSlots } from '../../../../../../src/main/models/engine/worker/sequences/conversation-slots.ts';

type Options = Parameters<Parameters<typeof openConversationSlots>[0]['getSequence']>[0];

const opened = (totalSequences: number): readonly Options[] =>
  openConversationSlots({ totalSequences, getSequence: (options: Options) => options }).map(({ sequence }) => sequence);

describe('the conversation slots', () => {
  it('keeps at most 512 MiB of states for any number of conversations', () => {
    for (const count of [1, 3, 8]) {
      const bytes = opened(count).map(({ checkpoints }) => checkpoints?.maxMemory ?? Number.POSITIVE_INFINITY);
      expect(bytes).toHaveLength(count);
      expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(512 * 1024 * 1024);
      expect(Math.min(...bytes)).toBeGreaterThan(60 * 1024 * 1024);
    }
  });

  it('never lets the engine drop the beginning of a conversation', () => {
    for (const { contextShift } of opened(2)) expect(contextShift?.strategy).toThrow('The context is full.');
  });
});
