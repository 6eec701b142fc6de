import { describe, expect, it } from 'vitest';
import { readStream } from '../../../../src/main/agent/step/read-stream.ts';
import { endedWith } from '../../../../src/main/models/providers/call/call-ended.ts';
import type { StreamPart } from '../../../../src/main/models/providers/define.ts';

describe('the function readStream', () => {
  it('lets a provider clean up once the end is known', async () => {
    const held = { open: true };
    async function* stream(): AsyncIterable<StreamPart> {
      try {
        await Promise.resolve();
        yield endedWith(null, 0, 0);
      } finally {
        held.open = false;
      }
    }
    const { ended } = await readStream(stream, 'call', () => undefined, new AbortController().signal);
    expect({ type: ended.type, held }).toEqual({ type: 'ended', held: { open: false } });
  });

  it('returns the end even when the clean-up fails', async () => {
    async function* stream(): AsyncIterable<StreamPart> {
      try {
        await Promise.resolve();
        yield endedWith(null, 0, 0);
      } finally {
        await Promise.reject(new Error('It does not let go.'));
      }
    }
    const { ended } = await readStream(stream, 'call', () => undefined, new AbortController().signal);
    expect(ended.error).toBeNull();
  });

  // Catches: thoughts of a model whose opening mark is missing, kept as its answer.
  it('turns text into thoughts when their end says so, and keeps what follows', async () => {
    async function* stream(): AsyncIterable<StreamPart> {
      await Promise.resolve();
      yield { type: 'text-delta', text: 'I think.' };
      yield { type: 'text-was-thought' };
      yield { type: 'text-delta', text: 'Hello.' };
      yield endedWith(null, 0, 0);
    }
    const { parts } = await readStream(stream, 'call', () => undefined, new AbortController().signal);
    expect(parts).toEqual([
      { type: 'reasoning', text: 'I think.' },
      { type: 'text', text: 'Hello.' },
    ]);
  });
});
