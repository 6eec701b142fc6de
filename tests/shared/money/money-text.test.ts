import { describe, expect, it } from 'vitest';
import { aboutUsd, moneyText, roundMoneyText } from '../../../src/shared/money/money-text.ts';
import { money } from '../../../src/renderer/lib/text/format.ts';

// Catches: a small sum that reads as nothing, such as "$0.0000", and one that stands in signs, such as "<$0.01".
describe('a sum below a cent', () => {
  it.each([
    [0.004_2, '$0.0042'],
    [0.000_06, '$0.0001'],
    [0.000_001, 'under $0.0001'],
    [0, '$0'],
  ])('%f reads as %s, in the terminal, in the window and as an estimate', (usd, text) => {
    expect([moneyText, money, roundMoneyText].map((write) => write(usd))).toEqual([text, text, text]);
  });

  it('has digits after "about", and is 0 only where it is', () => {
    expect([0, 0.000_001, 0.000_2].map((usd) => `about ${moneyText(aboutUsd(usd))}`)).toEqual([
      'about $0',
      'about $0.0001',
      'about $0.0002',
    ]);
  });

  it('is told from a larger one, which an estimate says in cents', () => {
    expect([0.0642, 12.3456, -0.0642].map(roundMoneyText)).toEqual(['$0.06', '$12.35', '-$0.06']);
    expect([0.0642, 12.3456].map(money)).toEqual(['$0.0642', '$12.35']);
  });
});
