import { describe, expect, it } from 'vitest';
import {
  assistantFacts,
  assistantFile,
  linesOfAssistant,
  mostAssistantCharacters,
  parseAssistant,
} from '../../../src/shared/session/assistants.ts';

const whole = `---
model: llama-cpp/qwen2.5-coder
mode: ask
tools: off
temperature: 0.7
top-p: 0.9
max-tokens: 400
---

You review texts.
---
Be brief.
`;

describe("an assistant's file", () => {
  it('is read as its settings and its text', () => {
    const read = parseAssistant('reviewer', whole.replaceAll('\n', '\r\n'));
    expect(read).toEqual({
      ok: true,
      value: {
        name: 'reviewer',
        text: 'You review texts.\n---\nBe brief.',
        model: 'llama-cpp/qwen2.5-coder',
        mode: 'ask',
        tools: 'off',
        temperature: 0.7,
        topP: 0.9,
        maxTokens: 400,
      },
    });
    expect(read.ok && assistantFacts(read.value)).toHaveLength(6);
    expect(parseAssistant('plain', 'Only a text.')).toEqual({
      ok: true,
      value: { name: 'plain', text: 'Only a text.' },
    });
  });

  /** Catches: something written in the window that is read back differently. */
  it.each([
    { name: 'one', text: 'Only a text.' },
    { name: 'one', text: '---\nmodel: x\n---\nA text that looks like a head.' },
    { name: 'one', about: 'Reads: contracts, and #letters.', text: 'Read.\n\n---\n\nSlowly.', tools: 'off' },
    { name: 'one', text: 'All of it.', model: 'a/b:c', mode: 'plan', temperature: 0, topP: 0.25, maxTokens: 16 },
  ] as const)('is written so that it reads the same, %#', (assistant) => {
    const file = assistantFile(linesOfAssistant(assistant), assistant.text);
    expect(parseAssistant('one', file)).toEqual({ ok: true, value: assistant });
  });

  /** Catches: a shared file that would approve in your place, and one that is understood only in part. */
  it.each([
    ['approve: allow'],
    ['network: example.org'],
    ['policy: cloud'],
    ['instructions: use'],
    ['sandbox: off'],
    ['max-usd: 100'],
    ['mode: root'],
    ['tools: all'],
    ['temperature: 9'],
    ['temperature:'],
    ['top-p: NaN'],
    ['max-tokens: 1e9'],
    ['model: no-provider'],
    ['model: a/b c'],
    ['no key at all'],
    ['about:'],
    [`about: ${'x'.repeat(201)}`],
    ['mode: ask\nmode: work'],
    ['tools: off\nmode: work'],
  ])('is refused for the line %j', (line) => {
    expect(parseAssistant('one', `---\n${line}\n---\nText.`).ok).toBe(false);
  });

  it('is refused without a text, with too long a text, or under a name that is a path', () => {
    expect(parseAssistant('one', '---\nmode: ask\n---\n')).toMatchObject({ ok: false, why: 'It has no text.' });
    expect(parseAssistant('one', '---\napprove: allow\nText.').ok).toBe(false);
    expect(parseAssistant('one', 'x'.repeat(mostAssistantCharacters + 1)).ok).toBe(false);
    for (const name of ['../one', 'One', '', 'a b']) expect(parseAssistant(name, 'Text.').ok).toBe(false);
  });
});
