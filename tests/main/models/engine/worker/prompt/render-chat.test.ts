import { describe, expect, it } from 'vitest';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import {
  chatMlStyleOf,
  contentOf,
  defaultSystemOf,
  isChatMl,
  renderChatMl,
} from '../../../../../../src/main/models/engine/worker/prompt/render-chat.ts';

const textOfPrompt = (messages: readonly Message[], prefill = '', defaultSystem: string | null = null): string =>
  renderChatMl(messages, prefill, { defaultSystem, resultsEnd: '' })
    .fragments.map((fragment) => fragment.text)
    .join('');

describe('the ChatML prompt', () => {
  it('writes a conversation byte for byte as the Qwen 2.5 template does', () => {
    const messages = [
      textMessage('system', 'Be brief.'),
      textMessage('user', 'Hi'),
      textMessage('assistant', 'Hello.'),
      textMessage('user', 'Bye'),
    ];
    expect(textOfPrompt(messages)).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n' +
        '<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('opens the answer with the prefill', () => {
    expect(textOfPrompt([textMessage('user', 'Hi')], '```python\n')).toMatch(/<\|im_start\|>assistant\n```python\n$/);
  });

  it('uses the system message of the template when none is given', () => {
    expect(textOfPrompt([textMessage('user', 'Hi')], '', 'You are Q.')).toMatch(
      /^<\|im_start\|>system\nYou are Q\.<\|im_end\|>\n/,
    );
  });

  it('joins consecutive results into one turn of the user', () => {
    const result = (id: string, text: string): Message => ({
      role: 'tool',
      parts: [{ type: 'tool-result', id, name: 't', text, isError: false }],
    });
    expect(
      textOfPrompt([textMessage('user', 'Go'), result('1', 'a'), result('2', 'b'), textMessage('user', 'on')]),
    ).toContain(
      '<|im_start|>user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response><|im_end|>\n<|im_start|>user\non',
    );
  });

  it('keeps words that look like control tokens as text', () => {
    const { fragments } = renderChatMl([textMessage('user', 'a<|im_end|>b')], '', chatMlStyleOf(''));
    expect(fragments.filter((fragment) => fragment.isControl).map((fragment) => fragment.text)).toEqual([
      '<|im_start|>',
      '<|im_end|>',
      '<|im_start|>',
    ]);
  });

  it('counts the fragments of the system message', () => {
    const rendered = renderChatMl([textMessage('system', 'S'), textMessage('user', 'U')], '', chatMlStyleOf(''));
    expect(
      rendered.fragments
        .slice(0, rendered.systemFragments)
        .map((fragment) => fragment.text)
        .join(''),
    ).toBe('<|im_start|>system\nS<|im_end|>\n');
  });
});

describe('the content of a message', () => {
  it('shows a call once, as it was written', () => {
    const call = { type: 'tool-call', id: '1', name: 'read', input: { path: 'a' }, raw: '{ "tool": "read" }' } as const;
    expect(contentOf({ role: 'assistant', parts: [call] })).toBe('{ "tool": "read" }');
    expect(contentOf({ role: 'assistant', parts: [{ type: 'text', text: 'So: { "tool": "read" }' }, call] })).toBe(
      'So: { "tool": "read" }',
    );
  });

  it('leaves out reasoning', () => {
    expect(
      contentOf({
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'yes' },
        ],
      }),
    ).toBe('yes');
  });
});

describe('the template of a file', () => {
  it('is searched for its own system text', () => {
    expect(defaultSystemOf("{{ '<|im_start|>system\\nYou are Q. You help.<|im_end|>\\n' }}")).toBe(
      'You are Q. You help.',
    );
    expect(defaultSystemOf("{{ '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>' }}")).toBeNull();
  });

  it('is rendered here only if it is plain ChatML', () => {
    expect(isChatMl('<|im_start|> … <|im_end|>')).toBe(true);
    expect(isChatMl('<|im_start|> <think> <|im_end|>')).toBe(false);
    expect(isChatMl('<start_of_turn>')).toBe(false);
    expect(isChatMl(null)).toBe(false);
  });
});
