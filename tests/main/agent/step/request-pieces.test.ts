import { describe, expect, it } from 'vitest';
import { textMessage, type Message } from '@shared/models/model-messages.ts';
import { requestPieces } from '../../../../src/main/agent/step/request-pieces.ts';
import type { ModelRequest } from '../../../../src/main/models/providers/define.ts';

const messages: Message[] = [
  textMessage('system', 'Be "brief",'),
  textMessage('user', 'Übung \u2028 \ud800'),
  { role: 'assistant', parts: [{ type: 'tool-call', id: '1', name: 'read_file', input: { path: 'a,' } }] },
];

function request(parts: Partial<ModelRequest>): ModelRequest {
  return {
    model: 'm',
    messages,
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [','],
    temperature: 0,
    topP: 0.95,
    seed: null,
    maxOutputTokens: 100,
    cacheKey: 'c',
    ...parts,
  };
}

describe('the pieces of a request', () => {
  it('form the JSON of the request when joined, whatever it contains', () => {
    const tools = [{ name: 't', description: 'd', inputSchema: { type: 'object' } }];
    const { messages: moved, ...rest } = request({});
    const variants: ModelRequest[] = [
      request({}),
      request({ messages: [] }),
      request({ tools, messages: messages.slice(0, 1) }),
      { messages: moved, ...rest },
      { ...rest, messages: moved },
    ];
    for (const variant of variants) expect(requestPieces(variant).join('')).toBe(JSON.stringify(variant));
  });

  it('stay the same at the beginning when the request only grew', () => {
    const before = requestPieces(request({}));
    const after = requestPieces(request({ messages: [...messages, textMessage('user', 'more')] }));
    expect(after.slice(0, messages.length + 1)).toEqual(before.slice(0, messages.length + 1));
  });
});
