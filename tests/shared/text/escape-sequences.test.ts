import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { withoutEscapes } from '../../../src/shared/text/seen-text.ts';

const esc = '\u001b';

describe('a text without control sequences', () => {
  it.each([
    ['colors', `${esc}[1;31mred${esc}[0m ${esc}[38;2;1;2;3mtrue${esc}[m`, 'red true'],
    ['a color in one byte', '\u009b31mred\u009b0m', 'red'],
    ['a link, ended by a bell', `${esc}]8;;http://a\u0007link${esc}]8;;\u0007`, 'link'],
    ['a link, ended by a string terminator', `${esc}]8;;http://a${esc}\\link${esc}]8;;${esc}\\`, 'link'],
    ['a title', `${esc}]0;a title\u0007text`, 'text'],
    ['a moved cursor', `one${esc}[2K${esc}[1Gtwo${esc}[?25h`, 'onetwo'],
    ['a device string', `${esc}Pq#0;2;0${esc}\\text`, 'text'],
    ['a choice of letters', `${esc}(Btext${esc}=`, 'text'],
    ['a link without an end', `${esc}]8;;http://a link`, '8;;http://a link'],
    ['a link that the line cuts', `${esc}]8;;a\nnext\u0007`, '8;;a\nnext\u0007'],
    // What follows the start may be words that somebody must see.
    ['a color that the text cuts', `text${esc}[31`, 'text31'],
    ['an escape at the end', `text${esc}`, 'text'],
    ['no sequence', 'array[0] = "é\\u001b[1m"\n', 'array[0] = "é\\u001b[1m"\n'],
  ])('has none of %s', (_, text, plain) => {
    expect(withoutEscapes(text)).toBe(plain);
  });

  it('is the same as that of Node for usual sequences', () => {
    const codes = Array.from({ length: 108 }, (_, code) => `${esc}[${code}mx`).join('\n');
    expect(withoutEscapes(codes)).toBe(stripVTControlCharacters(codes));
  });

  // Bug: Node's own function took two seconds for 100 kB of starts without an end, and a minute for 600 kB.
  it('is made of a million starts without an end', () => {
    expect(withoutEscapes(`${esc}]0;`.repeat(1_000_000))).toHaveLength(2_000_000);
    expect(withoutEscapes(`${esc}[`.repeat(1_000_000))).toBe('');
    expect(withoutEscapes(`${esc}P${'q'.repeat(1_000_000)}`)).toHaveLength(1_000_000);
    expect(withoutEscapes(`\u009b${'1'.repeat(1_000_000)}`)).toHaveLength(1_000_000);
  });
});
