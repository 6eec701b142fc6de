import { describe, expect, it } from 'vitest';
import { formulaMark, markMath } from '../../../src/shared/text/mark-math.ts';

const span = (tex: string): string => `\`${formulaMark}${tex}\``;

describe('a text with formulas', () => {
  /** Catches: a formula that Markdown breaks before it is recognized, and one that is not found. */
  it.each([
    ['the time is $O(n \\log n)$.', `the time is ${span('O(n \\log n)')}.`],
    ['\\(a_1 * b_1\\) and $x$', `${span('a_1 * b_1')} and ${span('x')}`],
    ['so $$x_1$$ here', `so ${span('x_1')} here`],
    ['$2n$ and $-1 < x$', `${span('2n')} and ${span('-1 < x')}`],
  ])('has them marked as spans: %s', (text, expected) => {
    expect(markMath(text)).toBe(expected);
  });

  it('has those on their own lines marked as blocks, also in a list', () => {
    expect(markMath('so:\n\n$$\nx^2\n$$\n\nand')).toBe('so:\n\n```math\nx^2\n```\n\nand');
    expect(markMath('\\[ x^2 \\]')).toBe('```math\nx^2\n```');
    expect(markMath('1. so\n\n   $$\n   x\n   $$')).toBe('1. so\n\n   ```math\n   x\n   ```');
  });

  /** Catches: amounts, shell variables and code that become formulas. */
  it.each([
    'It costs $5 and $6.',
    'From $5 to $10 a month, US$ 7, $5-$6, $1,000/$2,000.',
    'Between $5 and 10$ at most.',
    'Set $HOME and $PATH, or $HOME/$USER.',
    'Escaped \\$x_1\\$ stays.',
    'An open $x_1 stays, and $$ too.',
    'In `code $x_1$` and ``a ` $x_1$``.',
    '```sh\necho $x_1$\n$$\nx\n$$\n```',
    '~~~\n$x_1$\n~~~',
    '```\n$x_1$',
    '- ```\n  $x_1$\n  ```',
  ])('stays unchanged without formulas: %s', (text) => {
    expect(markMath(text)).toBe(text);
  });

  /** Catches: a text that makes the parser look at the same place again and again. */
  it('is marked quickly, however it is built', () => {
    const made = ['$a ', '`', '$$', '\\(', '\\[', '`` ` ', '~~~', '```\n'].map((piece) =>
      piece.repeat(20_000 / piece.length),
    );
    const began = performance.now();
    for (const text of made) markMath(text);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
