import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { fairShare } from '../../../../src/main/agent/prompt/fit-answers.ts';
import { saidWindow } from '../../../../src/main/agent/loop/learn-window.ts';
import { errorOfRefusal } from '../../../../src/main/models/providers/api/http-errors.ts';

const done = call('task_complete', { summary: 'ok' });
const big = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `line ${index} of a long file that says little`).join('\n');
const countTokens = (request: { readonly messages: unknown; readonly tools: unknown }): number =>
  Math.ceil(JSON.stringify([request.messages, request.tools]).length / 3);

describe('a prompt with results larger than the context', () => {
  it('gives five parallel reads of 32 kB a fair share of 64k, and says how to read the rest', async () => {
    const files = Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`f${index}.py`, big(1_500)]));
    const calls = Object.keys(files).flatMap((path) =>
      [1, 401, 801].map((from) => ({ name: 'read_file', input: { path, from } })),
    );
    const kit = createAgentKit({
      replies: [{ calls }, done],
      sandbox: { files: { ...files, 'small.py': 'x = 1\n' } },
      model: { contextTokens: 64_000 },
      countTokens,
    });
    const end = await kit.runner.send('Read it all about the moon.', turnOptions);
    expect(end.failure).toBeNull();
    const shared = ofType(kit.journal.events, 'observation-trimmed');
    expect(new Set(shared.map(({ afterTokens }) => afterTokens)).size).toBe(1);
    expect(JSON.stringify(kit.requests.at(-1))).toContain('reads them, a part at a time');
    for (const request of kit.requests) expect(countTokens(request)).toBeLessThan(64_000);
    await expectReplay(kit);
  });

  it('leaves small results whole beside large ones', () => {
    expect(fairShare([200, 9_000, 9_000], 6_200)).toBe(3_000);
    expect(fairShare([100, 100], 50)).toBe(150);
    expect(fairShare([], 50)).toBe(150);
    expect(fairShare([10, 20], 1_000)).toBe(150);
  });

  it.each(['write_file', 'no_such_tool'])('turns old arguments of 16 kB of %s into notes at 16k', async (name) => {
    const replies: Reply[] = Array.from({ length: 6 }, (_, index) => ({
      text: `Part ${index}.`,
      calls: [{ name: index % 2 === 1 ? 'write_file' : name, input: { path: `a${index}.txt`, content: big(330) } }],
    }));
    const kit = createAgentKit({
      replies: [...replies, done],
      sandbox: { files: {} },
      model: { contextTokens: 16_384 },
      countTokens,
    });
    const end = await kit.runner.send('Write the long texts.', turnOptions);
    expect(end.failure).toBeNull();
    expect(ofType(kit.journal.events, 'answer-trimmed').length).toBeGreaterThan(1);
    expect(JSON.stringify(kit.requests.at(-1))).toContain('are left out here to make room');
    for (const request of kit.requests) expect(countTokens(request)).toBeLessThan(16_384);
    await expectReplay(kit);
  });

  // Catches: results that are each too small to be cut, and too large together; a name that a model made up.
  it('fits after 40 calls at once, and after a call with an endless name', async () => {
    const one = (at: number) => ({ name: 'run_command', input: { command: `seq ${at}` } });
    const kit = createAgentKit({
      replies: [{ calls: Array.from({ length: 40 }, (_, at) => one(at)) }, call('n'.repeat(60_000), {}), done, done],
      sandbox: { files: {}, exec: () => ({ stdout: big(20) }) },
      model: { contextTokens: 8_192 },
    });
    const end = await kit.runner.send('Count for me.', turnOptions);
    expect(end.failure).toBeNull();
    for (const request of kit.requests) expect(countTokens(request)).toBeLessThan(9_500);
  });

  it('names what is large when nothing helps', async () => {
    const kit = createAgentKit({ model: { contextTokens: 2048 }, replies: [] });
    const end = await kit.runner.send(`Translate this: ${'word '.repeat(20_000)}`, turnOptions);
    expect(end.failure?.message).toMatch(/does not fit .* The largest parts: your message \(about \d+ tokens\)\. Give/);
  });
});

describe('a context that a server names', () => {
  // Catches: a server that names no number, or complains in words that nobody knows, and ends the task although shorter
  // results would do.
  it.each([
    ['context-full', 'the prompt is too long'],
    ['bad-request', 'Der Kontext reicht nicht.'],
  ] as const)('is guessed when a server only says %s: %s', async (code, message) => {
    const refuse: Reply = (request) =>
      countTokens(request) > 4_096 ? { error: { code, message, retryable: false } } : done;
    const kit = createAgentKit({
      replies: [call('read_file', { path: 'a.py' }), refuse, refuse, refuse, refuse],
      sandbox: { files: { 'a.py': big(400) } },
      model: { contextTokens: 65_536 },
    });
    const end = await kit.runner.send('Read about the moon.', turnOptions);
    expect(end.failure).toBeNull();
    const sizes = kit.requests.map(countTokens);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.slice(1)).toEqual(sizes.slice(1).toSorted((left, right) => right - left));
    expect(ofType(kit.journal.events, 'notice-added').map((notice) => notice.code)).toContain('window-guessed');
    await expectReplay(kit);
  });

  it('is not guessed from a bad request that is no longer than an answered one', async () => {
    const refused: Reply = { error: { code: 'bad-request', message: 'no such option', retryable: false } };
    const kit = createAgentKit({
      replies: [call('read_file', { path: 'a.py' }), refused],
      sandbox: { files: { 'a.py': 'x = 1\n' } },
    });
    const end = await kit.runner.send('Read about the moon.', turnOptions);
    expect(end.failure?.message).toContain('no such option');
    expect(kit.requests).toHaveLength(2);
  });

  it('is used as stated, and the call is repeated once, shorter', async () => {
    const files = { 'a.py': big(200) };
    const refuse: Reply = (request) =>
      countTokens(request) > 4_096
        ? {
            error: {
              code: 'context-full',
              message: 'the request exceeds the available context size (4096 tokens)',
              retryable: false,
            },
          }
        : done;
    const read = call('read_file', { path: 'a.py' });
    const kit = createAgentKit({
      replies: [read, refuse, refuse],
      sandbox: { files },
      model: { contextTokens: 32_768 },
    });
    const end = await kit.runner.send('Read about the moon.', turnOptions);
    expect(end.failure).toBeNull();
    const learned = ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'window-learned');
    expect(learned).toHaveLength(1);
    expect(kit.requests).toHaveLength(3);
    await expectReplay(kit);
  });

  it.each([
    ['llama.cpp', 'the request exceeds the available context size (4096 tokens), try increasing it', 4096],
    [
      'llama.cpp, newer',
      'request (5001 tokens) exceeds the available context size (4,096 tokens), try increasing it',
      4096,
    ],
    ['llama.cpp, fields', '{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":5001,"n_ctx":4096}', 4096],
    ['vLLM', "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.", 4096],
    [
      'LM Studio',
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      4096,
    ],
    [
      'OpenAI',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.",
      8192,
    ],
    ['OpenAI, no number', 'Your input exceeds the context window of this model.', null],
    ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    [
      'Anthropic, with the answer',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease it',
      200_000,
    ],
    ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['Mistral', 'Prompt contains 40960 tokens, too large for model with 32768 maximum context length', 32_768],
    [
      'TGI',
      '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
      4096,
    ],
    ['Ollama', 'the prompt is too long: the context is 4096 tokens', 4096],
    ['a service that rounds', 'prompt too long: the context window is 4k tokens', 4_000],
    ['a range', 'Range of input length should be [1, 30720]', 30_720],
    ['a length', 'Input length 19091 exceeds the maximum allowed length of 4,096', 4_096],
    ['Ollama, length', 'input length exceeds the context length', null],
  ])('is read from the words of %s', (_, message, tokens) => {
    expect(saidWindow(message)).toBe(tokens);
    expect(errorOfRefusal({ status: 400, message }).code).toBe('context-full');
  });

  it('is not read from a number with another meaning', () => {
    expect(saidWindow('You asked for 5000 tokens.')).toBeNull();
    expect(saidWindow('the context is 12')).toBeNull();
  });
});
