import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { batchLine, batchProblem } from '../../../../src/main/lib/programs/batch-line.ts';

/**
 * A model of how the Windows command interpreter splits a line: `^` escapes the next character, quotes switch on and
 * off, and outside of quotes `&`, `|`, `<`, `>` and parentheses are operators. Null: the line holds more than one
 * command.
 */
function oneCommand(line: string): string | null {
  let made = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '\n' || sign === '\r') return null;
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === '^') {
      at += 1;
      made += line[at] ?? '';
      continue;
    } else if (!isQuoted && /[&|<>()]/u.test(sign)) return null;
    made += sign;
  }
  return made;
}

/** Expands `%NAME%`, in quotes or not, as if an attacker had set every variable. */
const expanded = (line: string): string => line.replaceAll(/%[^%]+%/gu, '" & calc & "');

/** Splits a command line as programs do: backslashes escape quotes, and two quotes inside quotes are one. */
function argumentsOf(line: string): readonly string[] {
  const found: string[] = [];
  let one: string | null = null;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const [, slashes = '', quote] = /^(\\*)("?)/u.exec(line.slice(at)) ?? [];
    if (slashes !== '' && quote === '"') {
      one = (one ?? '') + '\\'.repeat(Math.floor(slashes.length / 2));
      at += slashes.length;
      if (slashes.length % 2 === 1) {
        one += '"';
        continue;
      }
    }
    const sign = line[at] ?? '';
    if (sign === '"' && isQuoted && line[at + 1] === '"') {
      one = `${one ?? ''}"`;
      at += 1;
    } else if (sign === '"') {
      isQuoted = !isQuoted;
      one ??= '';
    } else if (sign === ' ' && !isQuoted) {
      if (one !== null) found.push(one);
      one = null;
    } else one = (one ?? '') + sign;
  }
  return one === null ? found : [...found, one];
}

/** What the batch file starts: the interpreter reads the line, and then the line `program %*` of the file. */
function startedBy(args: readonly string[]): readonly string[] | null {
  const whole = args.at(-1) ?? '';
  expect(args.slice(0, -1)).toEqual(['/d', '/e:on', '/v:off', '/s', '/c']);
  const first = oneCommand(expanded(whole.slice(1, -1)));
  if (first === null) return null;
  const [, rest = ''] = /^"[^"]*" ?(.*)$/su.exec(first) ?? [];
  const second = oneCommand(`"C:\\node.exe" "C:\\npx-cli.js" ${rest}`);
  return second === null ? null : argumentsOf(second).slice(2);
}

const npx = String.raw`C:\Program Files\nodejs\npx.cmd`;
const attacks: readonly (readonly string[])[] = [
  ['-y', 'some-server', ''],
  ['a & calc'],
  ['" & calc'],
  ['x"&calc&"y'],
  [String.raw`\" & calc`, String.raw`\\" | calc`, String.raw`\\\" > out`],
  ['^" & calc', '^^"^&calc'],
  ['{"a": "b & c", "d": [1]}'],
  [String.raw`C:\folder name\ `, 'C:\\end\\'],
  ['a\tb', '(x)', '!PATH!', '<in', '>out', 'one|two', 'ünï 🙂'],
  ['"', '""', '"""', '" "', '&', '"&', '&"'],
];

describe('a batch file', () => {
  it.each(attacks.map((args) => [args]))('gets %j unchanged, and runs nothing of it', (args) => {
    const made = batchLine(npx, args, String.raw`D:\Windows`);
    expect(made.program).toBe(String.raw`D:\Windows\System32\cmd.exe`);
    expect(startedBy(made.args)).toEqual(args);
  });

  // Catches: an argument that nobody thought of.
  it('gets every combination of special characters unchanged', () => {
    const signs = ['"', '\\', '^', '&', '|', '>', ' ', 'a', '(', '!', ';', '='];
    let seed = 7;
    const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let round = 0; round < 5_000; round += 1) {
      const args = Array.from({ length: 1 + next(3) }, () =>
        Array.from({ length: next(9) }, () => signs[next(signs.length)] ?? '').join(''),
      );
      expect(startedBy(batchLine(npx, args, 'C:\\Windows').args)).toEqual(args);
    }
  });

  it.each(['%PATH%', 'a%20b', 'one\ntwo', 'one\rtwo', 'nul\0'])('is not started with %j', (argument) => {
    expect(batchProblem(npx, ['-y', argument])).toContain('safely');
    expect(() => batchLine(npx, [argument], 'C:\\Windows')).toThrow('safely');
  });

  it('is not started with more than the interpreter reads', () => {
    expect(batchProblem(npx, ['x'.repeat(9_000)])).toContain('too long');
  });

  // This is why the usual package is not used: the model finds a line that it lets through.
  it('would run a command by the command line of the usual package', () => {
    const escape: unknown = createRequire(import.meta.url)('cross-spawn/lib/util/escape.js');
    const { argument } = escape as Record<'argument', (text: string, isTwice: boolean) => string>;
    const line = `""${npx}" ${argument('x"&calc&"y', false)}"`;
    expect(startedBy(['/d', '/e:on', '/v:off', '/s', '/c', line])).toBeNull();
  });
});
