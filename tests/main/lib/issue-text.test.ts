import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesText, issueText } from '../../../src/main/lib/issue-text.ts';

const schema = z.strictObject({
  steps: z.number().int().positive().max(500).optional(),
  share: z.number().min(0).lt(1).optional(),
  name: z.string().min(1).max(5).optional(),
  list: z.array(z.string()).min(2).optional(),
  how: z.enum(['a', 'b']).optional(),
  only: z.literal('x').optional(),
  flag: z.boolean().optional(),
  mail: z.email('it must be an address').optional(),
  own: z.string().min(1, 'say who').optional(),
  code: z.string().regex(/^a/u).optional(),
  from: z.url().optional(),
  tens: z.number().multipleOf(10).optional(),
  wait: z.union([z.literal('auto'), z.number(), z.null()]).optional(),
  part: z.union([z.string(), z.strictObject({ a: z.number() })]).optional(),
  kind: z.discriminatedUnion('is', [z.object({ is: z.literal('a') }), z.object({ is: z.literal('b') })]).optional(),
  inner: z.strictObject({ a: z.number().optional() }).optional(),
  names: z.record(z.string().regex(/^a/u), z.number()).optional(),
});

function said(value: unknown): string {
  const { error } = schema.safeParse(value);
  // Copied by JSON, as it arrives over a socket.
  return issuesText(JSON.parse(JSON.stringify(error?.issues ?? [])), 'all');
}

describe('the explanation of a wrong value', () => {
  it.each([
    [{ steps: 0 }, 'steps: it must be above 0'],
    [{ steps: 501 }, 'steps: it must be at most 500'],
    [{ steps: 1.5 }, 'steps: it must be a whole number'],
    [{ steps: 'x' }, 'steps: it must be a number'],
    [{ share: -1 }, 'share: it must be at least 0'],
    [{ share: 1 }, 'share: it must be below 1'],
    [{ name: '' }, 'name: it must not be empty'],
    [{ name: 'abcdef' }, 'name: it must be at most 5 characters long'],
    [{ list: ['a'] }, 'list: it must be at least 2 long'],
    [{ how: 'c' }, 'how: it must be one of a, b'],
    [{ only: 'y' }, 'only: it must be x'],
    [{ flag: 1 }, 'flag: it must be true or false'],
    [{ mail: 'x' }, 'mail: it must be an address'],
    [{ own: '' }, 'own: say who'],
    [{ nope: 1, flag: 1 }, 'flag: it must be true or false; nope is unknown'],
    [{ inner: { b: 1, c: 1 } }, 'inner.b, inner.c are unknown'],
    // Bug: "Invalid discriminator value. Expected 'a' | 'b'" for a provider of an unknown kind.
    [{ kind: { is: 'c' } }, 'kind.is: it must be one of a, b'],
    [{ kind: {} }, 'kind.is: it must be one of a, b'],
    [{ code: 'b' }, 'code: it has another form than expected'],
    [{ from: 'here' }, 'from: it must be an address, such as https://example.com'],
    [{ tens: 7 }, 'tens: it must be a multiple of 10'],
    [{ wait: 'long' }, 'wait: it must be auto, or a number, or null'],
    [{ part: { a: 'x' } }, 'part: it has another form than expected'],
    [{ names: { b: 1 } }, 'names.b: it has another form than expected'],
    [3, 'all: it must be an object'],
  ])('tells of %j in plain words', (value, text) => {
    expect(said(value)).toBe(text);
  });

  it('is given also for a value that cannot be read', () => {
    expect(issueText(null)).toBe('it has another form than expected');
  });
});
