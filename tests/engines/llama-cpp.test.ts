import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { buildRequest, promptShape } from '../../src/main/agent/prompt/build-prompt.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { projectParts } from '../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { loopModel } from '../fakes/agent-kit.ts';
import { splitGguf, splitNames } from '../fakes/split-gguf.ts';
import { collect, createTestProvider, inTime, modelPath, modelRequest, scratchDir, startEngine } from './support.ts';

const model = 'smollm2-135m-instruct';
const never = new AbortController().signal;
const longText = Array.from(
  { length: 32 },
  (_, index) => `Line ${index} says that ${index} times two is ${index * 2}.`,
).join('\n');

let engine: LlamaEngine;
let provider: Provider;
let dir: string;

beforeAll(async () => {
  dir = await scratchDir();
  // Long enough to get the figures of an aborted call. `bench -- engine --only aborts` measures how soon they arrive.
  engine = await startEngine({ abortGraceMs: 30_000 });
  provider = await createTestProvider(engine, { contextTokens: 4096, cacheDir: dir });
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const answer = (request: ModelRequest) => collect(provider.stream(request, never));

/** Aborts a call at the first part that `isMoment` accepts, and returns how it ends. */
async function abortedAt(request: ModelRequest, isMoment: (part: StreamPart) => boolean): Promise<StreamEnded> {
  const abort = new AbortController();
  let ended: StreamEnded | null = null;
  for await (const part of provider.stream(request, abort.signal)) {
    if (isMoment(part)) abort.abort();
    if (part.type === 'ended') ended = part;
  }
  if (ended === null) throw new Error('the stream has no end');
  return ended;
}

describe('the in-process engine', () => {
  it('answers, and its counts add up', async () => {
    const request = modelRequest(model, 'Say hello.', { cacheKey: 'account', maxOutputTokens: 16 });
    const { text, ended } = await answer(request);
    expect(text.length).toBeGreaterThan(0);
    expect(ended.error).toBeNull();
    const { usage, evaluatedTokens, timings } = ended;
    expect(usage.freshInput + usage.cacheRead).toBe(await provider.countTokens(request, never));
    expect(evaluatedTokens).toBe(usage.freshInput);
    expect(usage.output).toBeGreaterThan(0);
    expect((timings.prefillMs ?? 0) + (timings.decodeMs ?? 0)).toBeLessThanOrEqual(timings.totalMs);
    // The engine counts this call alone, without the one before, and in no more time than the caller waited.
    const counted = timings.counted ?? { readTokens: 0, readMs: 0, writtenTokens: 0, writtenMs: 0 };
    expect(counted.readTokens + counted.writtenTokens).toBe(usage.freshInput + usage.output - 1);
    expect(counted.writtenMs).toBeGreaterThan(0);
    expect(counted.readMs).toBeLessThanOrEqual(timings.prefillMs ?? 0);
    // The engine's own figure for memory, not an estimate of Dewpoint. It is about the size of the file or more.
    const { size } = await stat(modelPath(model));
    expect(ended.engine?.observedBytes).toBeGreaterThan(size * 0.9);
    expect(ended.engine?.observedBytes).toBeLessThan(size * 8);
  });

  it.each([
    ['held to a grammar', { grammar: true, tools: false }],
    ['in the text protocol', { grammar: false, tools: false }],
  ])('counts fewer than 500 tokens for the short system text with all tools and calls %s', async (_how, can) => {
    const capabilities = { ...loopModel.capabilities, ...can };
    const info = { ...loopModel, name: model, parametersB: 1.5, contextTokens: 4096, capabilities };
    // A project that has the part that a tool needs pays for it, no other.
    const tools = builtInTools(discoverTools(), { now: () => 0 }).filter(
      ({ needs }) => !projectParts.some((part) => part === needs),
    );
    const shape = promptShape(info, tools, { mode: 'work', canExecute: true });
    const request = buildRequest(shape, [], info, { seed: null, temperature: 0, cacheKey: 'short' });
    const counted = await provider.countTokens(request, never);
    expect(counted).toBeGreaterThan(150);
    expect(counted).toBeLessThan(500);
  });

  it('gives the same answer for the same seed, and others for other seeds', async () => {
    const sample = async (seed: number): Promise<string> => {
      const { text, ended } = await answer(
        modelRequest(model, 'Invent a name for a boat.', {
          temperature: 1,
          seed,
          cacheKey: 'seed',
          maxOutputTokens: 24,
        }),
      );
      expect(ended.error).toBeNull();
      return text;
    };
    await sample(1);
    const [first, again, other] = [await sample(7), await sample(7), await sample(8)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('evaluates only the new part when a conversation goes on', async () => {
    const messages: Message[] = [
      textMessage('system', 'You answer in one short sentence.'),
      textMessage('user', longText),
    ];
    const before = (await engine.stats())?.evaluatedAgain ?? 0;
    let evaluatedAgain = 0;
    let prompt = 0;
    for (let turn = 0; turn < 5; turn += 1) {
      const request = modelRequest(model, '', { messages, cacheKey: 'talk', maxOutputTokens: 20 });
      const { text, ended } = await answer(request);
      const total = ended.usage.freshInput + ended.usage.cacheRead;
      if (turn > 0) evaluatedAgain += Math.max(0, prompt - ended.usage.cacheRead);
      prompt = total;
      messages.push(textMessage('assistant', text), textMessage('user', `And number ${turn}?`));
    }
    expect(evaluatedAgain / prompt).toBeLessThanOrEqual(0.02);
    // By the engine's own counter of tokens that any sequence had before. The few tokens that begin all prompts do not
    // count.
    const again = ((await engine.stats())?.evaluatedAgain ?? 0) - before;
    expect(again / prompt).toBeLessThanOrEqual(0.02);
  });

  it('finds earlier prompts again when two forms alternate', async () => {
    const form = (name: string): ModelRequest =>
      modelRequest(model, `${name}\n${longText.slice(0, 800)}`, { cacheKey: 'forms', maxOutputTokens: 4 });
    await answer(form('Fix'));
    await answer(form('Write'));
    const again = [await answer(form('Fix')), await answer(form('Write'))];
    expect(again.map(({ ended }) => ended.evaluatedTokens)).toEqual([1, 1]);
  });

  it('reads a prompt ahead, and the next call has one token of it to compute', async () => {
    const request = modelRequest(model, longText.slice(0, 1200), { cacheKey: 'ahead', maxOutputTokens: 4 });
    const read = await provider.prefill?.(request, never);
    expect(read?.error).toBeNull();
    expect(read?.evaluatedTokens).toBeGreaterThan(100);
    expect((await answer(request)).ended.evaluatedTokens).toBe(1);
  });

  it('starts the answer with the prefill and stops before the stop string', async () => {
    const { text, ended } = await answer(
      modelRequest(model, 'Write a Python function that returns 1.', {
        prefill: '```python\ndef one():',
        stop: ['```'],
        maxOutputTokens: 120,
        cacheKey: 'prefill',
      }),
    );
    expect(text).not.toContain('```');
    expect(text).not.toContain('def one');
    expect(text).toContain('return');
    expect(['stop-sequence', 'length']).toContain(ended.stopReason);
  });

  it('holds an answer to a choice, a schema and a call', async () => {
    const choice = await answer(
      modelRequest(model, 'Is the sky blue?', { output: { type: 'choice', options: ['yes', 'no'] }, cacheKey: 'form' }),
    );
    expect(['yes', 'no']).toContain(choice.text);
    expect(choice.ended.logprobs).toHaveLength(choice.ended.usage.output);
    expect(Math.max(...(choice.ended.logprobs ?? [1]))).toBeLessThanOrEqual(0);
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'string', maxLength: 12 } },
      required: ['a', 'b'],
    };
    const json = await answer(
      modelRequest(model, 'Give me values.', {
        output: { type: 'json-schema', schema },
        temperature: 1,
        cacheKey: 'form',
      }),
    );
    expect(json.ended.logprobs).toBeUndefined();
    expect(JSON.parse(json.text)).toEqual({ a: expect.any(Number), b: expect.any(String) });
    const tools = [
      {
        name: 'read_file',
        description: '',
        inputSchema: { type: 'object', properties: { path: { type: 'string', maxLength: 20 } }, required: ['path'] },
      },
      { name: 'stop', description: '', inputSchema: { type: 'object', properties: {} } },
    ];
    const call = await answer(
      modelRequest(model, 'Read the file a.txt.', { output: { type: 'tool-calls' }, tools, cacheKey: 'form' }),
    );
    expect(call.text).toBe('');
    expect(call.ended.stopReason).toBe('tool-calls');
    expect(call.parts.at(-2)).toMatchObject({
      type: 'tool-call',
      call: { name: expect.stringMatching(/^(read_file|stop)$/) },
    });
  });

  it('reports length, not stop, when the answer is cut, and gives no half call', async () => {
    const cut = await answer(modelRequest(model, 'Tell a long story.', { maxOutputTokens: 8, cacheKey: 'cut' }));
    expect(cut.ended).toMatchObject({ stopReason: 'length', usage: { output: 8 } });
    const tools = [
      { name: 'write_a_very_long_name_of_a_tool', description: '', inputSchema: { type: 'object', properties: {} } },
    ];
    const call = await answer(
      modelRequest(model, 'Go.', { output: { type: 'tool-calls' }, tools, maxOutputTokens: 4, cacheKey: 'cut' }),
    );
    expect(call.parts.filter((part) => part.type === 'tool-call')).toEqual([]);
    expect(call.ended.stopReason).toBe('length');
  });

  it('ends an endless repetition long before its limit, and says so', async () => {
    const line = 'la '.repeat(400);
    const { ended } = await answer(
      modelRequest(model, 'Sing la for ever.', { prefill: line, maxOutputTokens: 2000, cacheKey: 'loop' }),
    );
    expect(ended.stopReason).toBe('repetition');
    expect(ended.usage.output).toBeLessThan(600);
  });

  it('refuses a prompt that does not fit before it evaluates anything', async () => {
    const { ended } = await answer(modelRequest(model, longText.repeat(15), { cacheKey: 'full' }));
    expect(ended).toMatchObject({
      stopReason: 'error',
      evaluatedTokens: 0,
      error: { code: 'context-full', retryable: false },
    });
    expect(ended.error?.message).toContain('4096');
  });

  it('refuses a prefill under a grammar', async () => {
    const { ended } = await answer(
      modelRequest(model, 'x', { prefill: 'a', output: { type: 'choice', options: ['a', 'b'] } }),
    );
    expect(ended.error?.code).toBe('bad-request');
  });

  it('reads control tokens in a message as plain words', async () => {
    const plain = modelRequest(model, 'a <|im_end|> b', { cacheKey: 'words' });
    const tokens = await provider.countTokens(plain, never);
    const without = await provider.countTokens(modelRequest(model, 'a  b', { cacheKey: 'words' }), never);
    // As a control token it would be one token. As plain text it is several.
    expect((tokens ?? 0) - (without ?? 0)).toBeGreaterThan(2);
  });

  it('ends at an abort in the middle of a long prompt, and answers correctly afterwards', async () => {
    const { request, ended } = await inTime(async (tries) => {
      const prompt = modelRequest(model, longText.slice(100 + tries), { cacheKey: `abort-prefill-${tries}` });
      const end = await abortedAt(prompt, (part) => part.type === 'progress' && part.phase === 'prefill');
      return end.stopReason === 'cancelled' ? { request: prompt, ended: end } : null;
    });
    expect(ended.error).toBeNull();
    const cancelledTokens = ended.evaluatedTokens ?? 0;
    expect(cancelledTokens).toBeGreaterThan(0);
    const whole = await answer(request);
    expect(whole.ended.usage.cacheRead).toBeGreaterThanOrEqual(cancelledTokens - 1);
    const { text } = await answer(request);
    // The moment of the abort decides how the prompt was divided, which changes the last digits. Later in the text,
    // ties may then go another way.
    const start = (answered: string) => answered.split(' ').slice(0, 4).join(' ');
    expect(start(text)).toBe(start(whole.text));
    expect(start(text).length).toBeGreaterThan(10);
  });

  it('ends at an abort in the middle of an answer', async () => {
    const story = modelRequest(model, 'Tell a story.', { maxOutputTokens: 400, cacheKey: 'abort-decode' });
    const ended = await inTime(async () => {
      const end = await abortedAt(story, (part) => part.type === 'text-delta');
      return end.stopReason === 'cancelled' ? end : null;
    });
    expect(ended.error).toBeNull();
    expect(ended.usage.output).toBeLessThan(400);
  });

  it('keeps the state of a long system message for a new process', async () => {
    // The division of a prompt changes the last digits, so this question has no answer that depends on them.
    const messages = [
      textMessage('system', longText.slice(0, 1000)),
      textMessage('user', 'Count from one to nine in digits: 1, 2, 3, 4,'),
    ];
    const request = modelRequest(model, '', { messages, cacheKey: 'fresh', maxOutputTokens: 12 });
    const before = await answer(request);
    expect(before.ended.error).toBeNull();
    expect((await engine.stats())?.statesSaved).toBeGreaterThan(0);
    await engine.dispose();
    const after = await answer(request);
    expect((await engine.stats())?.statesLoaded).toBe(1);
    expect(after.ended.usage.cacheRead).toBeGreaterThan(250);
    expect(after.ended.evaluatedTokens).toBeLessThan(40);
    expect(after.text).toBe(before.text);
  });

  it('runs a model in several files like the whole one', async () => {
    const names = splitNames(join(dir, 'several'), 3);
    const parts = splitGguf(await readFile(modelPath(model)), 3);
    for (const [index, part] of parts.entries()) await writeFile(names[index] ?? '', part);
    const [path = ''] = names;
    const ask = (name: string) =>
      answer(modelRequest(name, 'Count to ten.', { cacheKey: 'fresh', maxOutputTokens: 12 }));
    // Both calls begin with empty caches, because the division of a prompt changes the last digits.
    await engine.dispose();
    const [whole, several] = [await ask(model), await ask(path)];
    expect(several.ended.error).toBeNull();
    expect(several.text).toBe(whole.text);
    // Files are mapped in whole pages. A processor that copies weights into its own layout (AMX) leaves less of each
    // file mapped between the first and the last weight that it reads there. So three files show somewhat less than
    // one.
    const [took, tookWhole] = [several, whole].map(({ ended }) => ended.engine?.observedBytes ?? 0);
    const share = (took ?? 0) / (tookWhole ?? 1);
    expect(share).toBeGreaterThan(0.99);
    expect(share).toBeLessThan(1.0005);
    const planned = (modelPath: string): Promise<number | null> =>
      engine.measure(
        { modelPath, contextTokens: 1024, sequences: 1, batchTokens: 64, cacheType: 'f16', flashAttention: true },
        never,
      );
    const bytes = await planned(path);
    expect(bytes).toBeGreaterThan(0);
    expect(await planned(modelPath(model))).toBe(bytes);
    // Counters also arrive after another load and after a dry run.
    const after = await answer(modelRequest(path, 'And to twenty.', { cacheKey: 'fresh', maxOutputTokens: 4 }));
    expect(after.ended.timings.counted?.writtenTokens).toBe(3);
  });
});
