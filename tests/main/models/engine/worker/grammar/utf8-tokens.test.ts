import { describe, expect, it } from 'vitest';
import { readUtf8Tokens } from '../../../../../../src/main/models/engine/worker/grammar/utf8-tokens.ts';

const byteTokens = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** Whether one token may follow another, by the check that calls in a fixed form use. */
function mayFollow(last: number, next: number): boolean {
  const tokens = readUtf8Tokens('llama', byteTokens);
  const open = tokens.endsIn.get(last);
  return !tokens.never.includes(next) && (open === undefined || !tokens.notAfter[open].includes(next));
}

describe('the mask of byte tokens', () => {
  it('never allows a byte that no text has', () => {
    const never = readUtf8Tokens('llama', byteTokens).never;
    expect(never).toEqual([0xc0, 0xc1, ...Array.from({ length: 11 }, (_, index) => 0xf5 + index)]);
  });

  it('refuses overlong forms of three and four bytes, and allows every character', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const isText = (bytes: readonly number[]): boolean => {
      try {
        decoder.decode(Uint8Array.from(bytes));
        return true;
      } catch {
        return false;
      }
    };
    for (let second = 0x80; second < 0xc0; second += 1) {
      expect(mayFollow(0xe0, second)).toBe(isText([0xe0, second, 0x80]));
      expect(mayFollow(0xf0, second)).toBe(isText([0xf0, second, 0x80, 0x80]));
      expect(mayFollow(0xe1, second)).toBe(true);
    }
  });

  it('reads vocabularies in which a byte is a letter', () => {
    // The vocabulary's letters for the bytes 20 E0, A4 B6, 80, C1 and 9F 98.
    const tokens = readUtf8Tokens('gpt2', ['Ġà', '¤¶', 'Ģ', 'Á', 'ŁĺÃł', '<|日|>', 'plain']);
    expect(tokens).toEqual({
      never: [3],
      endsIn: new Map([[0, 'E0']]),
      notAfter: { E0: [2, 4], F0: [2] },
    });
  });
});
