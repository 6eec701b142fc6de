import { describe, expect, it } from 'vitest';
import { createGrowingText } from '../../../../src/main/sessions/journal/growing-text.ts';

describe('a text that grows while it is cleaned', () => {
  const texts = [
    ['[', 'one', ',zwei ü', ']'],
    ['[', 'one', ',zwei ü', ',three 😀', ']'],
    ['all in one piece'],
    ['[', 'one', ',other', ']'],
    ['[', 'one'],
    ['', ''],
    ['[', 'one', ',zwei ü', ']'],
  ];

  it('gives the cleaned bytes of every text, whatever it shares with the last one', () => {
    const clean = (piece: string): string => piece.replaceAll('e', 'secret');
    const bytesOf = createGrowingText(clean);
    expect(texts.map((pieces) => bytesOf(pieces).toString())).toEqual(texts.map((pieces) => clean(pieces.join(''))));
  });

  it('is searched only in its new part', () => {
    const seen: string[] = [];
    const bytesOf = createGrowingText((piece) => {
      seen.push(piece);
      return piece;
    });
    for (const pieces of texts.slice(0, 3)) bytesOf(pieces);
    expect(seen).toEqual(['[', 'one', ',zwei ü', ']', ',three 😀', ']', 'all in one piece']);
  });

  it('is searched from its start again when new secrets are known', () => {
    const known = ['one'];
    const clean = (piece: string): string => known.reduce((text, word) => text.replaceAll(word, '***'), piece);
    const bytesOf = createGrowingText(clean, () => known.length);
    expect(bytesOf(['[', 'one', ',two', ']']).toString()).toBe('[***,two]');
    known.push('two');
    expect(bytesOf(['[', 'one', ',two', ',three', ']']).toString()).toBe('[***,***,three]');
  });
});
