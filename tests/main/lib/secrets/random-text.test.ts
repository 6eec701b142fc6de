import { describe, expect, it } from 'vitest';
import { isFiller, isKeyFiller, isWordlike } from '../../../../src/main/lib/secrets/random-text.ts';

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
const alphabets = [upper + lower + digits, `${upper}${lower}${digits}-_`, lower + digits, `${upper}234567`];

function drawn(signs: string, length: number): string {
  const numbers = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(numbers, (number) => signs.charAt(Math.floor((number / 2 ** 32) * signs.length))).join('');
}

/** Catches: a random key that is shown because it looks like words, or like an example, by chance. */
describe('the check for random text', () => {
  it('finds it in 5,000 fresh values of 20 and more signs', () => {
    const wrong: string[] = [];
    for (let at = 0; at < 5_000; at += 1) {
      const value = drawn(alphabets[at % alphabets.length] ?? digits, 20 + (at % 21));
      if (isWordlike(value)) wrong.push(`words: ${value}`);
      if (isFiller(value) || isKeyFiller(`key_${value}`)) wrong.push(`example: ${value}`);
    }
    // Each judgment is wrong less than once in a million.
    expect(wrong).toEqual([]);
  });

  it.each([
    'w06GHOIaEtOu4yOFELxLVUCAbJsusK9A',
    'p72NOXadgrFoXTUSyPecRO1p',
    'j30PButt3d8eEFi1HYPt',
    'l63KNmaiantgVIvMRNVb',
  ])('finds no words in: %s', (value) => {
    expect(isWordlike(value)).toBe(false);
  });

  it('does not take random text for an example because of a chance word', () => {
    expect(isFiller('t27JUpE42ekWUZ2NLwEsjtWQUBDUMMyKEur')).toBe(false);
    expect(isKeyFiller(['AI', 'zat27JUpE42ekWUZ2NLwEsjtWQUBDUMMyKEur'].join(''))).toBe(false);
    expect(isWordlike('production-database-connection-w06GHOIaEtOu4yOFELxLVUCAbJsusK9A')).toBe(false);
  });
});

describe('the check of an ordinary name', () => {
  it.each([
    'ExclusiveStartBackupArn',
    'EllipticCurvePrivateKey',
    'pusherTransportNonTLS',
    'oauth2ClientCredentialsFlow',
  ])('finds words in: %s', (value) => {
    expect(isWordlike(value)).toBe(true);
  });

  it.each(['sk-ant-your-key-here', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])(
    'finds a placeholder for a key in: %s',
    (value) => {
      expect(isKeyFiller(value)).toBe(true);
    },
  );
});
