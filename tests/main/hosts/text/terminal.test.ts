import { moneyText } from '@shared/money/money-text.ts';
import { printable } from '@shared/text/seen-text.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  pluralize,
  dateAndTime,
  jsonLine,
  oneLine,
  safeWriting,
  seconds,
  table,
} from '../../../../src/main/hosts/text/terminal.ts';

describe('the function printable', () => {
  it.each([
    ['colors', 'a\u001B[31mred\u001B[0m', 'ared'],
    ['a window title', 'a\u001B]0;owned\u0007b', 'ab'],
    ['a clipboard write', 'a\u001B]52;c;aGk=\u001B\\b', 'ab'],
    ['a carriage return that hides text', 'rm -rf /\rls', 'rm -rf /ls'],
    ['backspaces', 'a\b\bb', 'ab'],
    ['direction overrides', 'a\u202Eb\u2066c', 'abc'],
    ['the C1 control set', 'a\u009B31mb', 'ab'],
  ])('removes %s', (_name, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('keeps line breaks, tabs and other scripts', () => {
    expect(printable('修复\n\tتست 🎉')).toBe('修复\n\tتست 🎉');
  });
});

describe('the output to a terminal', () => {
  function open(hasColors: boolean) {
    const written = { out: '', err: '' };
    const writing = safeWriting(
      { out: (text) => void (written.out += text), err: (text) => void (written.err += text) },
      hasColors,
    );
    return { written, ...writing };
  }

  it('has our colors, also nested', () => {
    const { written, out, colors } = open(true);
    out(`${colors.red(`a ${colors.bold('b')} c`)} ${colors.dim(`x ${colors.dim('y')} z`)}\n`);
    expect(written.out).toBe(
      '\u001B[31ma \u001B[1mb\u001B[22m c\u001B[39m \u001B[2mx \u001B[2my\u001B[22m\u001B[2m z\u001B[22m\n',
    );
  });

  it('shows foreign colors and control characters written out', () => {
    const { written, err, colors } = open(true);
    err(`${colors.green('\u001B[31mred\u001B[8mgone')} \u001B]52;c;aGk=\u0007 \u001B[2K\r`);
    expect(written.err).toBe(
      '\u001B[32m<U+001B>[31mred<U+001B>[8mgone\u001B[39m <U+001B>]52;c;aGk=<U+0007> <U+001B>[2K<U+000D>',
    );
  });

  it('has no colors where they are off, in a prompt as well', () => {
    const { written, out, shown, colors } = open(false);
    out(colors.red('a\u0007'));
    expect([written.out, shown(colors.red('b\u001B[2J'))]).toEqual(['a<U+0007>', 'b<U+001B>[2J']);
  });

  it('is cleared only by its own method', () => {
    const { written, clear } = open(true);
    clear();
    clear(2);
    expect(written.err).toBe('\r\u001B[J\r\u001B[2A\u001B[J');
  });
});

describe('a line of JSON', () => {
  it('has no line break or control character inside, and keeps its value', () => {
    const value = { text: 'a\u2028b\u2029c\u0085d\ne\u009bf\u202eg\u2066h \u001b 修复' };
    const line = jsonLine(value);
    expect(JSON.parse(line)).toEqual(value);
    expect(line.slice(0, -1)).toBe(String.raw`{"text":"a\u2028b\u2029c\u0085d\ne\u009bf\u202eg\u2066h \u001b 修复"}`);
  });
});

describe('a text for people', () => {
  it('keeps what follows a control sequence that does not end', () => {
    expect(oneLine('run x\u001B]0;y && curl evil.example', 80)).toBe('run x0;y && curl evil.example');
  });

  it('is cut to one line without cutting a character', () => {
    expect(oneLine('ab🎉🎉cd', 5)).toBe('ab🎉…');
    expect(oneLine('a\n  b', 10)).toBe('a b');
  });

  it('is never wider than its limit: East Asian characters count two columns, marks none', () => {
    expect(oneLine('修复测试', 8)).toBe('修复测试');
    expect(oneLine('修复测试', 7)).toBe('修复测…');
    expect(oneLine('修复测试', 6)).toBe('修复…');
    expect(oneLine('e\u0301e\u0301e\u0301', 3)).toBe('e\u0301e\u0301e\u0301');
    expect(oneLine('abcd', 4)).toBe('abcd');
    expect(oneLine('abcde', 4)).toBe('abc…');
    expect(oneLine('修复', 1)).toBe('修…');
  });

  it('is cut between whole characters, such as a flag or a family', () => {
    expect(oneLine('🇫🇷🇩🇪🇮🇹', 5)).toBe('🇫🇷🇩🇪…');
    expect(oneLine('👩‍👩‍👧‍👦 family', 4)).toBe('👩‍👩‍👧‍👦 …');
    expect(oneLine('ab', 1)).toBe('a…');
  });

  it('never shows an unknown price as zero', () => {
    expect([null, 0, 0.000003, 0.01234].map(moneyText)).toEqual(['unpriced', '$0', 'under $0.0001', '$0.0123']);
  });

  it('has units of time', () => {
    expect([seconds(420), seconds(61_000)]).toEqual(['0.4 s', '1 min 01 s']);
  });
});

describe('a table', () => {
  it('aligns its columns for East Asian names and emoji', () => {
    const rows = table([
      ['name', 'size', ''],
      ['模型', '1 GB', 'a'],
      ['🚀 fast', '12 GB', '二'],
      ['e\u0301te\u0301', '3 GB', 'ccc'],
    ]);
    expect(rows).toEqual([
      'name      size',
      '模型      1 GB    a',
      '🚀 fast  12 GB   二',
      'e\u0301te\u0301       3 GB  ccc',
    ]);
  });
});

describe('the function dateAndTime', () => {
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  it('uses the time zone of the person', () => {
    process.env.TZ = 'Asia/Kolkata';
    expect(dateAndTime(Date.UTC(2026, 0, 31, 20, 5))).toBe('2026-02-01 01:35');
  });
});

describe('the function pluralize', () => {
  it('uses the singular for one', () => {
    expect([0, 1, 2].map((count) => pluralize(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps']);
  });
});
