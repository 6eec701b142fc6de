import { describe, expect, it } from 'vitest';
import {
  escapedJson,
  printable,
  seenCommand,
  seenLines,
  seenLine,
  seenLineText,
  seenName,
  seenPieces,
  seenText,
  seenWords,
  escapeForTerminal,
} from '@shared/text/seen-text.ts';
import { harmIn, hostileTexts } from '../../fakes/hostile-texts.ts';

const onOneLine = { seenName, seenCommand, seenWords };
const all = { ...onOneLine, seenText, seenLineText, printable, escapeForTerminal };

/** Characters that must not stay in a shown text, because they are not drawn as themselves. */
const unseen = /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

describe.each(Object.entries(hostileTexts))('%s', (_name, text) => {
  it.each(Object.entries(all))('does no harm to a terminal through %s', (_name, show) => {
    expect(harmIn(show(text))).toBeNull();
  });

  it.each(Object.entries(onOneLine))('stays on one line through %s, and is all visible', (_name, show) => {
    expect(show(text)).not.toMatch(/[\n\t]/u);
    expect(show(text)).not.toMatch(unseen);
  });

  it('is all visible where a person judges it, in the window and the terminal', () => {
    expect(seenText(text)).not.toMatch(unseen);
    const drawn = seenPieces(text).map((piece) => (piece.kind === 'empty-lines' ? '' : piece.text));
    expect(drawn.join('')).not.toMatch(unseen);
    const line = seenLine(text.replaceAll('\n', ' ')).map((piece) => (piece.kind === 'empty-lines' ? '' : piece.text));
    expect(line.join('')).not.toMatch(unseen);
  });

  it('hides nothing of what follows it', () => {
    for (const show of Object.values(all)) expect(show(`${text}| and the rest`)).toContain(' and the rest');
  });

  it('is no carriage return at the end of a line, as files from Windows have it', () => {
    expect(seenText('a\r\nb\rc')).toBe('a\r\nb<U+000D>c');
  });

  it('is the same in JSON, and visible there', () => {
    const json = escapedJson(JSON.stringify({ text }));
    expect(json).not.toMatch(unseen);
    expect(JSON.parse(json)).toEqual({ text });
  });
});

describe('a text shown as prose', () => {
  it.each([
    ['a title that does not end', 'a\u001B]0;title and all the rest', 'a0;title and all the rest'],
    ['one that ends lines later', 'a\u001B]0;b\nc\u0007d', 'a0;b\ncd'],
    ['one that is longer than any', `a\u001B]0;${'b'.repeat(3000)}\u0007c`, `a0;${'b'.repeat(3000)}c`],
    ['a color that does not end', 'a\u001B[31', 'a31'],
    ['one in another', 'a\u001B[\u001B[31m2Jb', 'a2Jb'],
    ['one that is made of two', 'a\u001B\u001B[31m[2Jb', 'a[2Jb'],
    ['a set of characters', 'a\u001B(0b', 'ab'],
  ])('keeps visible what stands behind %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('drops text that only a machine would read', () => {
    expect(printable('a\u{E0073}\u{E0061}\u{E0079}\u200Bb')).toBe('ab');
    expect(printable('👨‍👩‍👧 ❤️ می‌خواهم')).toBe('👨‍👩‍👧 ❤️ می‌خواهم');
  });
});

describe('a name shown with hidden characters marked', () => {
  it.each([
    ['a picture of several', '👨‍👩‍👧.md'],
    ['a heart', '❤️.md'],
    ['a key', '1️⃣.md'],
    ['a word of Persian', 'می‌خواهم.txt'],
    ['a word of Hindi', 'क्‍ष.txt'],
    ['another script', 'путь/отчёт_v2.txt'],
    ['accents', 'caf\u00E9/cafe\u0301.txt'],
  ])('is unchanged when it is %s', (_name, text) => {
    expect(seenName(text)).toBe(text);
  });

  it.each([
    ['a joiner that joins nothing', 'a\u200Cb', 'a<U+200C>b'],
    ['a second selector', '❤\uFE0F\uFE0F', '❤\uFE0F<U+FE0F>'],
    ['a letter of another script', 'p\u0430th', 'p<U+0430 \u0430>th'],
    ['a letter of mathematics', '\u{1D41A}pt', '<U+1D41A \u{1D41A}>pt'],
    ['a letter of Lisu', 'ABC\uA4D3', 'ABC<U+A4D3 \uA4D3>'],
    ['a stroke that parts nothing', 'example.com\u2215evil', 'example.com<U+2215 \u2215>evil'],
    ['a blank that is none', 'a\u00A0b', 'a<U+00A0>b'],
  ])('is marked when it has %s', (_name, text, shown) => {
    expect(seenName(text)).toBe(shown);
  });

  it('of sentences has its lines as they stand, and each is marked', () => {
    expect(seenLines('One.\nTwo\u202E.')).toBe('One.\nTwo<U+202E>.');
  });

  it('of a command has its lines one after the other', () => {
    expect(seenCommand('a \\\n\t b\rc')).toBe('a \\ b<U+000D>c');
  });
});

describe('a text for the terminal', () => {
  it('keeps the line ends of a table for other programs', () => {
    expect(escapeForTerminal('a,b\r\nc\rd\te\n')).toBe('a,b\r\nc<U+000D>d\te\n');
  });
});
