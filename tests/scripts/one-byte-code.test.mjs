import { runInThisContext } from 'node:vm';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { oneByteText } from '../../scripts/setup/one-byte-code.mjs';

const narrow = (code) => oneByteText(code, (text) => parseAst(text));
const isOneByte = (text) => !/[\u0100-\uFFFF]/.test(text);
const valueOf = (code) => runInThisContext(`(${code})`);

describe('a program that is written in Latin-1', () => {
  it.each([
    "'a … b — 😀'",
    '`a … ${1 + 1} → 😀 \\u2026 \\n`',
    'String.raw`\\n … ${2} 😀 \\u2026 ${"→"}`',
    '"é ÿ Ā".length',
    '/^[\\u{1F600}…😀]+$/u.test("😀…")',
    '/[–—]/.exec("a—b").index',
    '({ "…": 1, "😀": 2 })["😀"]',
    '((a) => { /* – */ return a; })("…" /* → */)',
  ])('has the same meaning: %s', (code) => {
    expect(valueOf(narrow(code))).toEqual(valueOf(code));
    expect(isOneByte(narrow(code))).toBe(true);
  });

  it.each([
    '((Ψ) => { const { a = "…" } = { Ψ, a: Ψ }; return a; })(1)',
    '({ Ψ: 1, \u{1D465}: 2 }).\u{1D465}',
    '((parts) => parts.raw[0])`\\n …`',
  ])('keeps characters that cannot be escaped: %s', (code) => {
    expect(valueOf(narrow(code))).toEqual(valueOf(code));
  });

  it('is unchanged if it needs no escape', () => {
    const code = 'const é = 1;';
    expect(narrow(code)).toBe(code);
  });
});
