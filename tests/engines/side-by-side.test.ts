import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { collect, createTestProvider, modelRequest, scratchDir, startEngine } from './support.ts';

const model = 'smollm2-135m-instruct';
const never = new AbortController().signal;

let engine: LlamaEngine;
let provider: Provider;
let dir: string;

beforeAll(async () => {
  dir = await scratchDir();
  engine = await startEngine({ abortGraceMs: 30_000 });
  provider = await createTestProvider(engine, { contextTokens: 4096, cacheDir: dir });
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const question = (changes: Partial<ModelRequest>): ModelRequest =>
  modelRequest(model, 'Invent a name for a boat, and say in three sentences why.', {
    temperature: 1,
    maxOutputTokens: 40,
    ...changes,
  });
const answer = (changes: Partial<ModelRequest>) => collect(provider.stream(question(changes), never));

describe('answers side by side', () => {
  it('are written in one go, and given when they are asked for', async () => {
    const also = [2, 3, 4, 5, 6];
    const first = await answer({ seed: 1, also, cacheKey: 'together' });
    const decoded = [first.ended.usage.output];
    const texts = [first.text];
    for (const [index, seed] of also.entries()) {
      const { text, ended } = await answer({ seed, also: also.slice(index + 1), cacheKey: 'together' });
      expect(ended.error).toBeNull();
      // Nothing was read for this answer, and its time counts for the first one.
      expect(ended).toMatchObject({ evaluatedTokens: 0, timings: { decodeTokens: 0 } });
      expect(ended.usage.output).toBeLessThanOrEqual(40);
      decoded.push(ended.usage.output);
      texts.push(text);
    }
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text.length).toBeGreaterThan(8);
    // Everything decoded in the time of the first answer: the tokens of all answers, each without the token that the
    // prompt produced.
    const all = decoded.reduce((sum, tokens) => sum + tokens, 0);
    expect(first.ended.timings.decodeTokens).toBeGreaterThanOrEqual(all - 2 * texts.length);
    expect(first.ended.timings.decodeTokens).toBeLessThanOrEqual(all);
  });

  it('are each given once, and are those of the very same question', async () => {
    await answer({ seed: 1, also: [2, 3], cacheKey: 'once' });
    const [taken, again] = [await answer({ seed: 2, cacheKey: 'once' }), await answer({ seed: 2, cacheKey: 'once' })];
    const other = await answer({ seed: 3, temperature: 0.9, cacheKey: 'once' });
    expect(taken.ended.timings.decodeTokens).toBe(0);
    for (const { ended } of [again, other]) expect(ended.timings.decodeTokens).toBe(ended.usage.output - 1);
  });

  it('end at the stop text of each, and leave the prompt in its place for the question after', async () => {
    const list = { stop: ['.'], cacheKey: 'stop' };
    const first = await answer({ seed: 1, also: [2, 3, 4], ...list });
    const others = [await answer({ seed: 2, ...list }), await answer({ seed: 3, ...list })];
    for (const { text } of [first, ...others]) expect(text).not.toContain('.');
    const greedy = await answer({ seed: null, temperature: 0, ...list });
    expect(greedy.ended.evaluatedTokens).toBeLessThan(4);
  });

  it('are written alone where one is greedy or has a form', async () => {
    const greedy = await answer({ seed: null, temperature: 0, also: [2], cacheKey: 'greedy' });
    const choice = await answer({ output: { type: 'choice', options: ['yes', 'no'] }, also: [2], cacheKey: 'form' });
    for (const { ended } of [greedy, choice]) expect(ended.timings.decodeTokens).toBe(ended.usage.output - 1);
  });

  it('stop with the first one, and the next question is answered', async () => {
    const abort = new AbortController();
    const request = question({ seed: 1, also: [2, 3, 4, 5, 6, 7, 8], maxOutputTokens: 400, cacheKey: 'cancel' });
    let reason: string | null = null;
    for await (const part of provider.stream(request, abort.signal)) {
      if (part.type === 'text-delta') abort.abort();
      if (part.type === 'ended') reason = part.stopReason;
    }
    expect(reason).toBe('cancelled');
    const next = await answer({ seed: 2, cacheKey: 'cancel' });
    expect(next.ended.error).toBeNull();
    expect(next.ended.timings.decodeTokens).toBe(next.ended.usage.output - 1);
  });
});
