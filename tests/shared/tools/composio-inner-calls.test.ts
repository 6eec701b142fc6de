import { describe, expect, it } from 'vitest';
import { innerCallsOf } from '../../../src/shared/tools/composio.ts';

/** Catches: a call inside of a router's call that is neither listed in the question nor stopped. */

const one = { tool_slug: 'GMAIL_SEND', arguments: { to: 'stranger' } };
const escaped = JSON.stringify(one).replace('tool_slug', String.raw`\u0074ool_slug`);
const twice = (value: unknown): string => JSON.stringify(JSON.stringify(value));

describe("an inner call of a router's call", () => {
  it.each([
    ['as they are', { tools: [one] }],
    ['in JSON in a text', { tools: JSON.stringify([one]) }],
    ['in JSON in a text in a text', { tools: twice([one]) }],
    ['with an escaped name', { tools: escaped }],
    ['with an escaped name in a text in a text', { tools: JSON.stringify(escaped) }],
    ['in the arguments of another call', { tool_slug: 'A', arguments: { input: twice(one) } }],
    ['far down', JSON.parse(`${'{"a":'.repeat(40)}${JSON.stringify(one)}${'}'.repeat(40)}`)],
  ])('is found %s', (_how, input) => {
    const { calls, problem } = innerCallsOf(input);
    expect(calls).toContainEqual({ tool: 'GMAIL_SEND', input: { to: 'stranger' } });
    expect(problem).toBeNull();
  });

  it.each([
    ['the 201st call', { tools: Array.from({ length: 201 }, () => one) }],
    ['a call that is too far down', JSON.parse(`${'['.repeat(70)}${JSON.stringify(one)}${']'.repeat(70)}`)],
    ['a text that a lenient server may read', { tools: `{"tool_slug": "GMAIL_SEND", "arguments": {"n": NaN}}` }],
    ['the same with an escaped name', { tools: String.raw`[{"tool\u005fslug": "GMAIL_SEND", "n": NaN}]` }],
  ])('stops the call: %s', (_what, input) => {
    expect(innerCallsOf(input).problem).not.toBeNull();
  });

  it('is not seen in other texts', () => {
    const input = { text: 'Use {tool_slug} here.', list: '[1, 2', quote: '"Well", he said.' };
    expect(innerCallsOf(input)).toEqual({ calls: [], problem: null });
  });
});
