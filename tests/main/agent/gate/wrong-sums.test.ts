import { describe, expect, it } from 'vitest';
import { wrongSums } from '../../../../src/main/agent/gate/wrong-sums.ts';

describe('the sums of an answer', () => {
  // Catches: a small model that adds up a table wrongly, and a person who believes it.
  it.each([
    ['Total: 52000 + 48500 + 61000 + 39900 = 212400', '52000 + 48500 + 61000 + 39900', '212400', 201_400],
    ['They earn **1,200 + 300 = 1,600** euros.', '1,200 + 300', '1,600', 1500],
    ['- $12.50 + $3 = $15.00.', '12.50 + 3', '15.00', 15.5],
    ['2. (2 + 3) × 4 = 24', '(2 + 3) * 4', '24', 20],
    ['The difference: 61000 − 70800 = −9000', '61000 - 70800', '-9000', -9800],
    ['100 / 8 = 14', '100 / 8', '14', 12.5],
    ['It is 2 + 2 = 5, so no.', '2 + 2', '5', 4],
  ])('are wrong in: %s', (answer, expression, claimed, value) => {
    expect(wrongSums(answer)).toEqual([{ expression, claimed, value }]);
  });

  it.each([
    '2 + 2 = 4',
    '52000 + 48500 = 100,500.',
    '10 / 3 = 3.33 and 10 / 3 = 3 and 2 / 3 = 0.667',
    '0.1 + 0.2 = 0.3',
    '30 + 30 = 1 hour',
    '3/4 = 75 %',
    '1.200 + 300 = 1.500',
    '1,5 + 1 = 2,5',
    'x2 + 3 = 9',
    'f(3) + 2 = 7',
    '`1 + 1 = 3`',
    '```\n1 + 1 = 3\n```',
    'a == 1 + 1 = 3',
    '1 + 1 = 3 * 2',
    '2026-11-30 = Monday',
    '1 / 0 = 5',
    'Average = 5',
    '5 apples + 3 = 9',
    `${'('.repeat(400)}1 + 1 = 3`,
  ])('are not doubted in: %s', (answer) => {
    expect(wrongSums(answer)).toEqual([]);
  });

  it('are found in a chain, and named at most three times', () => {
    expect(wrongSums('1 + 1 = 3 = 4').map(({ claimed }) => claimed)).toEqual(['3']);
    expect(wrongSums('1 + 1 = 3\n'.repeat(9))).toHaveLength(3);
  });
});
