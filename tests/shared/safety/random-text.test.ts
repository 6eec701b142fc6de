import { describe, expect, it } from 'vitest';
import { isFiller, isKeyFiller, isWordlike } from '@shared/safety/random-text.ts';

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
const alphabets = [upper + lower + digits, `${upper}${lower}${digits}-_`, lower + digits, `${upper}234567`];

function drawn(signs: string, length: number): string {
  const numbers = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(numbers, (number) => signs.charAt(Math.floor((number / 2 ** 32) * signs.length))).join('');
}

/** Catches: a random key that is shown because it looks like words, or like an example, by chance. */
describe('random text of 20 and more signs', () => {
  it('is neither words nor an example, in 5,000 fresh values', () => {
    const wrong: string[] = [];
    for (let at = 0; at < 5_000; at += 1) {
      const value = drawn(alphabets[at % alphabets.length] ?? digits, 20 + (at % 21));
      if (isWordlike(value)) wrong.push(`words: ${value}`);
      if (isFiller(value) || isKeyFiller(`key_${value}`)) wrong.push(`example: ${value}`);
    }
    // Each judgement is wrong less than once in a million.
    expect(wrong).toEqual([]);
  });

  it.each([
    'w06GHOIaEtOu4yOFELxLVUCAbJsusK9A',
    'p72NOXadgrFoXTUSyPecRO1p',
    'j30PButt3d8eEFi1HYPt',
    'l63KNmaiantgVIvMRNVb',
  ])('is no word: %s', (value) => {
    expect(isWordlike(value)).toBe(false);
  });

  it('is no example where a word stands in it by chance', () => {
    expect(isFiller('t27JUpE42ekWUZ2NLwEsjtWQUBDUMMyKEur')).toBe(false);
    expect(isKeyFiller(['AI', 'zat27JUpE42ekWUZ2NLwEsjtWQUBDUMMyKEur'].join(''))).toBe(false);
    expect(isWordlike('production-database-connection-w06GHOIaEtOu4yOFELxLVUCAbJsusK9A')).toBe(false);
  });
});

describe('names', () => {
  it.each([
    'ExclusiveStartBackupArn',
    'EllipticCurvePrivateKey',
    'pusherTransportNonTLS',
    'oauth2ClientCredentialsFlow',
  ])('are words: %s', (value) => {
    expect(isWordlike(value)).toBe(true);
  });

  it.each(['sk-ant-your-key-here', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])('stand for a key: %s', (value) => {
    expect(isKeyFiller(value)).toBe(true);
  });
});
