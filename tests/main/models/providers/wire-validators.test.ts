import { describe, expect, it } from 'vitest';
import { refuseAnthropic } from '../../../fakes/wire/anthropic.ts';
import { mistralStrictness, openaiStrictness, refuseChat } from '../../../fakes/wire/chat.ts';
import { refuseGemini } from '../../../fakes/wire/gemini.ts';
import { refuseResponses } from '../../../fakes/wire/responses.ts';

// The property tests rely on these validators. A validator that accepts everything would prove nothing.
const user = { role: 'user', content: 'Go.' };
const call = (id: string, json = '{}') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: json } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const chat = (...messages: unknown[]): unknown => ({ model: 'm', messages });

describe('the validator of Chat Completions requests', () => {
  it('accepts a valid request', () => {
    expect(refuseChat(chat(user, call('c1'), result('c1')), openaiStrictness)).toBe(null);
  });

  it.each([
    ['a call without a result', chat(user, call('c1'), user)],
    ['a result without a call', chat(user, result('c1'))],
    ['an id that stands twice', chat(user, call('c1'), result('c1'), call('c1'), result('c1'))],
    ['arguments that are no object', chat(user, call('c1', '"text"'), result('c1'))],
    ['an end with the assistant', chat(user, { role: 'assistant', content: 'done' })],
    ['two messages of one role', chat(user, user)],
    ['a late system message', chat(user, { role: 'system', content: 'x' }, user)],
    ['an unknown field', chat({ ...user, by: 'x' })],
  ])('refuses %s', (_name, body) => {
    expect(refuseChat(body, openaiStrictness)).not.toBe(null);
  });

  it('refuses the ids and the order that Mistral refuses', () => {
    expect(refuseChat(chat(user, call('call_1234'), result('call_1234')), mistralStrictness)).toContain('call id');
    expect(refuseChat(chat(user, call('abcDEF123'), result('abcDEF123'), user), mistralStrictness)).toContain('role');
  });
});

describe('the validator of Anthropic requests', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const text = { type: 'text', text: 'Go.' };
  const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const used = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
  const thought = { type: 'thinking', thinking: 't', signature: 'mine' };
  const body = (...contents: unknown[][]): unknown => ({
    model: 'm',
    max_tokens: 10,
    tools,
    messages: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  });
  const mine = (signature: string): boolean => signature === 'mine';

  it('accepts a valid request', () => {
    expect(refuseAnthropic(body([text], [thought, use], [used, text]), mine)).toBe(null);
  });

  it.each([
    ['a foreign signature', body([text], [{ ...thought, signature: 'x' }, use], [used])],
    ['a result that comes too late', body([text], [use], [text, used])],
    ['a call without a result', body([text], [use], [text])],
    ['an end with thinking', body([text], [text, thought], [text])],
    ['blank text', body([{ type: 'text', text: ' ' }])],
    ['a prefill', body([text], [text])],
  ])('refuses %s', (_name, request) => {
    expect(refuseAnthropic(request, mine)).not.toBe(null);
  });
});

describe('the validator of Responses requests', () => {
  const said = { type: 'message', role: 'user', content: 'Go.' };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'mine' };
  const asked = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'ok' };
  const body = (...input: unknown[]): unknown => ({
    model: 'm',
    input,
    store: false,
    prompt_cache_key: 'k',
    max_output_tokens: 16,
  });
  const mine = (encrypted: string): boolean => encrypted === 'mine';

  it('accepts a valid request', () => {
    expect(refuseResponses(body(said, reasoning, asked, output), mine)).toBe(null);
  });

  it.each([
    ['reasoning that nothing follows', body(said, reasoning)],
    ['foreign reasoning', body(said, { ...reasoning, encrypted_content: 'x' }, asked, output)],
    ['a call without output', body(said, asked)],
    ['output without a call', body(said, output)],
  ])('refuses %s', (_name, request) => {
    expect(refuseResponses(request, mine)).not.toBe(null);
  });
});

describe('the validator of Gemini requests', () => {
  const said = { role: 'user', parts: [{ text: 'Go.' }] };
  const asked = (signature?: string) => ({
    role: 'model',
    parts: [
      { functionCall: { name: 'f', args: {} }, ...(signature === undefined ? {} : { thoughtSignature: signature }) },
    ],
  });
  const output = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
  const body = (...contents: unknown[]): unknown => ({ contents, generationConfig: { maxOutputTokens: 1 } });
  const mine = (signature: string): boolean => signature === 'mine';

  it('accepts a valid request', () => {
    expect(refuseGemini(body(said, asked('mine'), output, said), mine, true)).toBe(null);
  });

  it.each([
    ['a call without its signature', body(said, asked(), output)],
    ['a foreign signature', body(said, asked('x'), output)],
    ['fewer results than calls', body(said, asked('mine'), said)],
    ['a call that follows the model', body(said, { role: 'model', parts: [{ text: 'x' }] }, asked('mine'), output)],
    ['a beginning with the model', body(asked('mine'), output)],
  ])('refuses %s', (_name, request) => {
    expect(refuseGemini(request, mine, true)).not.toBe(null);
  });
});
