import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keptShare, type ModelSpeed } from '../../bench/lib/model-speed.ts';
import { createReplyCache, type ReplyCache } from '../../bench/lib/reply-cache.ts';
import type { ModelRequest, Provider, StreamPart } from '../../src/main/models/providers/define.ts';
import { noUsage } from '../../src/shared/money/token-cost.ts';
import { collect, request } from '../fakes/provider-kit.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-replies-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const timings = { queuedMs: 0, prefillMs: 700, decodeMs: 300, totalMs: 1000 };

/** Says how often it was asked, in two pieces. */
function counting(): Provider {
  let asked = 0;
  return {
    id: 'here',
    list: async () => [],
    resolve: async () => null,
    countTokens: async () => 7,
    dispose: async () => undefined,
    async *stream({ stop }): AsyncIterable<StreamPart> {
      asked += 1;
      const error = stop[0] === 'fail' ? ({ code: 'cut', message: 'cut', retryable: true } as const) : null;
      yield { type: 'progress', phase: 'prefill', done: 1, total: 1 };
      yield { type: 'text-delta', text: `answer ` };
      yield { type: 'text-delta', text: `${asked}` };
      const usage = { ...noUsage, freshInput: 10, output: 2 };
      yield {
        type: 'ended',
        stopReason: error === null ? 'stop' : 'error',
        usage,
        evaluatedTokens: 10,
        timings,
        error,
      };
    },
  };
}

const speedOf = async (): Promise<ModelSpeed> => ({ readMs: 30, writtenMs: 100 });
const cache = (): ReplyCache => createReplyCache({ folder, digestOf: (_, model) => `digest of ${model}`, speedOf });

async function ask(provider: Provider, change: Partial<ModelRequest> = {}): Promise<readonly StreamPart[]> {
  const parts = await collect(provider.stream({ ...request('m'), seed: 1, ...change }, signal));
  return parts.filter(({ type }) => type !== 'progress');
}

function wordsOf(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
}

describe('the cache of model replies', () => {
  it('gives the same reply again in another run, whatever its cache key', async () => {
    const first = await ask(cache().wrap(counting()), { cacheKey: 'session 1' });
    const later = cache();
    const again = await ask(later.wrap(counting()), { cacheKey: 'session 2' });
    expect(again).toEqual([{ type: 'text-delta', text: 'answer 1' }, first.at(-1)]);
    expect(later.counts()).toEqual({ kept: 1, asked: 0, failed: 0 });
  });

  it('reports the time that a model would take alone, for a new and for a kept reply', async () => {
    const runs = [cache(), cache()];
    for (const one of runs) {
      const begun = one.now();
      const parts = await ask(one.wrap(counting()));
      // Ten tokens read at 30 ms and two written at 100 ms, whatever the engine was timed at beside other work.
      const told = { queuedMs: 0, prefillMs: 300, decodeMs: 200, totalMs: 500 };
      expect(parts.at(-1)).toMatchObject({ timings: told });
      expect(one.now() - begun).toBeGreaterThanOrEqual(500);
    }
  });

  it('reports the recorded time of a kept reply when no speed is known', async () => {
    for (const _ of ['asked', 'kept']) {
      const one = createReplyCache({ folder, digestOf: (_, model) => model, speedOf: null });
      const begun = one.now();
      const parts = await ask(one.wrap(counting()));
      expect(parts.at(-1)).toMatchObject({ timings });
      expect(one.now() - begun).toBeGreaterThanOrEqual(timings.totalMs);
    }
  });

  it('shares a reply between seeds only when the temperature is 0', async () => {
    const provider = cache().wrap(counting());
    const said = async (change: Partial<ModelRequest>): Promise<string> => wordsOf(await ask(provider, change));
    for (const [temperature, isSame] of [
      [0, true],
      [0.8, false],
    ] as const) {
      const [one, other] = [await said({ temperature, seed: 1 }), await said({ temperature, seed: 2 })];
      expect(one === other).toBe(isSame);
    }
  });

  it('holds the clock of a run only until the reply ends, even if nobody reads on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const one = cache();
      const begun = one.now();
      const answer = one.wrap(counting()).stream(request('m'), signal)[Symbol.asyncIterator]();
      while ((await answer.next()).value?.type !== 'ended') vi.setSystemTime(Date.now() + 1000);
      vi.setSystemTime(Date.now() + 7000);
      expect(one.now() - begun).toBe(500 + 7000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('counts the beginning shared with the previous question as already read', () => {
    const said = (text: string): ModelRequest['messages'] => [{ role: 'user', parts: [{ type: 'text', text }] }];
    expect(keptShare(null, said('a'))).toBe(0);
    expect(keptShare(said('the same 1'), said('the same 2'))).toBe(0.9);
    expect(keptShare(said('x'), said('another'))).toBe(0);
  });

  it('separates replies by seed, model and conversation, and keeps no failed call', async () => {
    const provider = cache().wrap(counting());
    const words: string[] = [];
    const fails = { stop: ['fail'] };
    const warm = { temperature: 0.5 };
    for (const change of [{}, { model: 'n' }, warm, { ...warm, seed: 2 }, fails, fails]) {
      const parts = await ask(provider, change);
      words.push(wordsOf(parts));
    }
    expect(words).toEqual([1, 2, 3, 4, 5, 6].map((count) => `answer ${count}`));
    const kept = await readdir(folder, { recursive: true });
    expect(kept.filter((name) => name.endsWith('.json'))).toHaveLength(4);
  });
});
