import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/main/models/providers/define.ts';
import { ollamaAddress, judgeVersion } from '../../../../../src/main/models/providers/ollama/ollama-api.ts';
import { repairedName, repairTemplateFor } from '../../../../../src/main/models/providers/ollama/repair-template.ts';
import { createPromptCount } from '../../../../../src/main/models/providers/ollama/ollama-prompt-count.ts';
import { wholeLines } from '../../../../../src/main/models/providers/ollama/json-lines.ts';
import { createSpeedWatch } from '../../../../../src/main/models/providers/call/speed-watch.ts';
import { request } from '../../../../fakes/provider-kit.ts';

describe('the address of Ollama', () => {
  it.each([
    [undefined, undefined, 'http://127.0.0.1:11434'],
    [undefined, '', 'http://127.0.0.1:11434'],
    [undefined, '0.0.0.0', 'http://127.0.0.1:11434'],
    [undefined, '0.0.0.0:8080', 'http://127.0.0.1:8080'],
    [undefined, ':8080', 'http://127.0.0.1:8080'],
    [undefined, 'box', 'http://box:11434'],
    [undefined, 'http://box', 'http://box'],
    [undefined, 'https://box/ollama/', 'https://box/ollama'],
    [undefined, '[::1]:8080', 'http://[::1]:8080'],
    ['http://other:1/', 'box', 'http://other:1'],
    ['http://other:1/v1', undefined, 'http://other:1'],
    ['http://other:1//ollama//api/chat/', undefined, 'http://other:1/ollama'],
    ['http://other:1/v1/chat/completions?key=1', undefined, 'http://other:1?key=1'],
    [undefined, 'http://box/v1', 'http://box'],
  ])('from the setting %s and OLLAMA_HOST %s is %s', (setting, host, address) => {
    expect(ollamaAddress(setting, host)).toBe(address);
  });
});

describe('the version of Ollama', () => {
  it.each([
    ['0.7.1', false, false],
    ['0.12.5', false, false],
    ['0.12.6', true, false],
    ['0.17.4', true, true],
    ['1.0.0', true, true],
    ['0.0.0', true, true],
    ['of my own', true, true],
  ])('%s refuses long prompts: %s, gives log-probabilities: %s', (text, refuses, gives) => {
    const { refusesLongPrompts, givesLogprobs, complaint } = judgeVersion(text);
    expect([refusesLongPrompts, givesLogprobs, complaint === null]).toEqual([refuses, gives, refuses]);
  });
});

describe('the token count of a prompt', () => {
  const said = (text: string): ModelRequest => request('m', text);
  const prose = 'The quick brown fox jumps over the lazy dog, and nobody minds. '.repeat(200);

  it('is believed for a text of usual density', () => {
    // About 12,600 bytes: 3,000 tokens in English, far fewer for a text of mostly spaces, more for digits.
    expect(createPromptCount().check(said(prose), 2800)).toBeNull();
    expect(createPromptCount().check(said(' '.repeat(100_000)), 800)).toBeNull();
    expect(createPromptCount().check(said(`${'='.repeat(80)}\n`.repeat(400)), 1200)).toBeNull();
    expect(createPromptCount().check(said('3141592653'.repeat(500)), 5000)).toBeNull();
  });

  it('is not believed if more than half is missing', () => {
    expect(createPromptCount().check(said(prose), 1400)).toContain('must have at least');
  });

  it('is not taken for a cut if a model no longer sees its old thoughts', () => {
    const count = createPromptCount();
    const user = said('Think.').messages;
    const thought = {
      role: 'assistant' as const,
      parts: [
        { type: 'reasoning' as const, text: prose },
        { type: 'text' as const, text: 'Yes.' },
      ],
    };
    expect(count.check({ ...said(''), messages: [...user, thought, ...user] }, 3000)).toBeNull();
    expect(count.check({ ...said(''), messages: [...user, thought, ...user, ...user] }, 60)).toBeNull();
  });
});

describe('the speed of a model', () => {
  const counts = (speed: number) => ({
    promptTokens: 10,
    outputTokens: 100,
    promptMs: 10,
    outputMs: (100 / speed) * 1000,
    logprobs: [],
  });

  it('is reported when it falls below half, and not before a comparison exists', () => {
    const watch = createSpeedWatch();
    expect([50, 48, 52].map((speed) => watch.note('a', counts(speed)))).toEqual([null, null, null]);
    expect(watch.note('b', counts(10))).toBeNull();
    expect(watch.note('a', counts(40))).toBeNull();
    expect(watch.note('a', counts(10))).toContain('10.0 tokens a second, and 50.0 before');
    // Bug: a machine without a card was told that a part of the model had left it.
    expect(watch.note('a', counts(10))).toContain('left the card');
    expect(watch.note('a', { ...counts(10), isWithoutCard: true })).toMatch(/may use the machine$/u);
  });
});

describe('the template of a repaired model', () => {
  it('is chosen by the tokens that the model was trained with', () => {
    const family = (...markers: string[]) =>
      repairTemplateFor({ header: { facts: { keys: {}, vocabulary: null, weights: null }, hollowKeys: [], markers } })
        ?.family;
    expect([
      family('<|im_start|>', '<tool_call>'),
      family('<|im_start|>'),
      family('<|start_header_id|>'),
      family('<start_of_turn>'),
      family('[INST]'),
      family(),
    ]).toEqual(['ChatML with tools', 'ChatML', 'Llama 3', 'Gemma', 'Mistral', undefined]);
  });

  it("is put into a model with Dewpoint's own name", () => {
    expect(['qwen:7b', 'someone/qwen:7b', 'hub.example/someone/qwen:latest'].map(repairedName)).toEqual([
      'dewpoint/qwen:7b',
      'dewpoint/someone-qwen:7b',
      'dewpoint/someone-qwen:latest',
    ]);
  });
});

describe('a stream of JSON lines', () => {
  const read = async (...pieces: string[]): Promise<readonly unknown[]> => {
    const values: unknown[] = [];
    const bytes = pieces.map((piece) => Buffer.from(piece, 'latin1'));
    async function* chunks(): AsyncIterable<Uint8Array> {
      yield* bytes;
    }
    for await (const line of wholeLines(chunks(), (value) => void values.push(value)))
      expect(Buffer.from(line).toString()).toMatch(/^\{.*\}\n$/u);
    return values;
  };

  it('may be cut anywhere, also inside a character', async () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n{"b":1}', 'utf8').toString('latin1');
    const all = Array.from({ length: bytes.length }, (_, at) => read(bytes.slice(0, at), bytes.slice(at)));
    for (const values of await Promise.all(all)) expect(values).toEqual([{ a: 'ü' }, { b: 1 }]);
  });

  it('has no line without its end', async () => {
    await expect(read('{"a":1}\n{"b":')).rejects.toThrow(SyntaxError);
  });
});
