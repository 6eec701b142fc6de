import { describe, expect, it } from 'vitest';
import { hideAssigned } from '../../../../src/main/safety/assigned-secrets.ts';
import { hideSecrets } from '../../../../src/main/lib/secrets/secret-patterns.ts';

const hidden = (text: string): string => hideSecrets(text).text;
// The keys are put together here so that no scanner takes this file for a leak.
const key = (...parts: readonly string[]): string => parts.join('-');
const head = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`;
const foot = (kind: string): string => `-----END ${kind}PRIVATE KEY-----`;
const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2);
const token = `${'eyJ'}hbGciOiJIUzI1NiJ9.${'eyJ'}zdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl_x-1`;

/** Catches: a pattern that became faster but finds less. */
describe('the patterns of secrets', () => {
  it.each([
    [
      'a key behind others of its kind that are too short',
      `sk-a sk-b-${'x'.repeat(30)} ${key('sk', 'a1'.repeat(12))}`,
      1,
    ],
    ['a key that begins again inside', key('sk', 'sk', 'sk', 'proj', 'abcdefghijklmnop1234'), 1],
    [
      'a key of the other service behind a key',
      `${key('sk', 'ant', 'a1b2'.repeat(5))} ${key('sk', 'a1b2'.repeat(6))}`,
      2,
    ],
    ['a token behind a dash', `session-${token}`, 1],
    ['a token at the end of a sentence', `It is ${token}.`, 1],
    ['a token in a list of names with dots', `a.b.c ${token} d.e.f`, 1],
    ['a token behind many spaces', `Authorization: Bearer${' '.repeat(40)}abcdefghij1234567890xyz`, 1],
    ['two blocks of keys', `${head('RSA ')}\n${body}\n${foot('RSA ')}\n${head('')}\n${body}\n${foot('')}`, 2],
    [
      'a block without an end before one with it',
      `${head('EC ')}\nMII${'x'.repeat(99)}\n${head('')}\n${body}\n${foot('')}`,
      2,
    ],
  ])('find: %s', (_name, text, count) => {
    expect(hideSecrets(text).kinds).toHaveLength(count);
    expect(hidden(text)).not.toMatch(/MII|eyJ|1234|a1b2|(?:a1){4}/u);
  });

  it('ignore a run of words that begins like a key and has no digit', () => {
    const text = `sk-${'sk-'.repeat(40)}learn bearer ${'ofgoodnews'.repeat(4)} eyJ-eyJ-eyJ-eyJ-eyJ-eyJ-eyJ-eyJ-eyJ-eyJ-eyJ`;
    expect(hidden(text)).toBe(text);
  });

  it('leave the end of a sentence after a token', () => {
    expect(hidden(`It is ${token}.`)).toBe('It is [redacted:json-web-token].');
  });

  it('find a value whose first digit comes late', () => {
    const text = `API_TOKEN=${'qZxWvKpLmBtRdGhJ'.repeat(20)}9`;
    expect(hideAssigned(text).kinds).toEqual(['assigned-secret']);
  });
});
