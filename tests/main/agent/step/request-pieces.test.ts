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

describe('request pieces', () => {
  it('are together the JSON of the request, whatever stands where in it', () => {
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

  it('of a request that only grew begin as those before, so that they need not be looked at again', () => {
    const before = requestPieces(request({}));
    const after = requestPieces(request({ messages: [...messages, textMessage('user', 'more')] }));
    expect(after.slice(0, messages.length + 1)).toEqual(before.slice(0, messages.length + 1));
  });
});
