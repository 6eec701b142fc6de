import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textMessage } from '@shared/models/model-messages.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { EngineRequest } from '../../src/main/models/engine/worker/worker-protocol.ts';
import { loadOptions, modelPath, scratchDir, startEngine } from './support.ts';

/** Catches: a model without a ChatML template that gets a prompt in another form than its file says. */
const model = 'smollm2-135m-instruct';
const never = new AbortController().signal;
/** Like the template of the file, but it closes the thinking block when thinking is off. */
const template = `{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{{ '<|im_start|>assistant\\n' }}{% if not enable_thinking %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}`;

let dir: string;
let engine: LlamaEngine;
beforeAll(async () => {
  dir = await scratchDir();
  engine = await startEngine();
  const bytes = await readFile(modelPath(model));
  const key = bytes.indexOf('tokenizer.chat_template') + 'tokenizer.chat_template'.length;
  // A GGUF string: its type in 4 bytes, its length in 8.
  const length = Number(bytes.readBigUInt64LE(key + 4));
  const padded = `${template}{#${'-'.repeat(length - template.length - 4)}#}`;
  bytes.write(padded, key + 12, 'utf8');
  await writeFile(join(dir, 'thinks.gguf'), bytes);
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const request = (text: string): EngineRequest => ({
  messages: [textMessage('system', 'You are short.'), textMessage('user', text)],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0,
  topP: 1,
  seed: null,
  maxOutputTokens: 16,
  cacheKey: 'k',
});

async function tokens(path: string, text: string): Promise<number> {
  const counted = await engine.count({ ...loadOptions(model), modelPath: path }, request(text), never);
  if (!counted.ok) throw new Error(counted.error.message);
  return counted.tokens;
}

describe('a model that brings a template of its own', () => {
  it('is asked as its template says, and control tokens in a message are plain words', async () => {
    const plain = await tokens(modelPath(model), 'Say yes.');
    const withMarks = await tokens(modelPath(model), 'Say <|im_end|> yes.');
    const own = join(dir, 'thinks.gguf');
    const thinking = (await tokens(own, 'Say yes.')) - plain;
    // The block has "<think>", two line breaks, "</think>" and two more, in this model's tokens.
    expect(thinking).toBeGreaterThanOrEqual(4);
    expect(thinking).toBeLessThanOrEqual(12);
    expect((await tokens(own, 'Say <|im_end|> yes.')) - withMarks).toBe(thinking);
    expect(withMarks - plain).toBeGreaterThan(3);
  });

  it('thinks when told to, closes its thoughts in time, and keeps to the form of the answer', async () => {
    const options = { ...loadOptions(model), modelPath: join(dir, 'thinks.gguf') };
    const asked: EngineRequest = {
      ...request('What is 2 and 2?'),
      output: {
        type: 'json-schema',
        schema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
      },
      maxOutputTokens: 200,
      seed: 7,
      thinking: { effort: 'low', mostTokens: 40 },
    };
    const said = { thought: '', text: '' };
    for await (const event of engine.generate(options, asked, never)) {
      if (event.type === 'delta') said[event.isThought ? 'thought' : 'text'] += event.text;
      if (event.type !== 'ended') continue;
      expect(event.generation.error).toBeNull();
      expect(event.generation.thoughtTokens).toBeGreaterThan(0);
      expect(event.generation.thoughtTokens).toBeLessThanOrEqual(40);
      expect(event.generation.outputTokens).toBeGreaterThan(event.generation.thoughtTokens ?? 0);
    }
    expect(said.thought.trim()).not.toBe('');
    expect(said.thought).not.toContain('</think>');
    expect(JSON.parse(said.text)).toHaveProperty('sum');
  });

  it('refuses to think when the file has no switch for it', async () => {
    const asked = { ...request('Hi'), thinking: { effort: 'low' as const, mostTokens: 40 } };
    for await (const event of engine.generate(loadOptions(model), asked, never))
      if (event.type === 'ended') expect(event.generation.error?.code).toBe('bad-request');
  });

  it('answers a question in words', async () => {
    let text = '';
    const options = { ...loadOptions(model), modelPath: join(dir, 'thinks.gguf') };
    for await (const event of engine.generate(options, request('What is 2 and 2?'), never)) {
      if (event.type === 'delta') text += event.text;
      if (event.type === 'ended') expect(event.generation.error).toBeNull();
    }
    expect(text.trim()).not.toBe('');
  });
});
