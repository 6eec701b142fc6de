import { describe, expect, it } from 'vitest';
import { bothText, enteredSum, inBoth, usdOf } from '../../../src/shared/money/currency.ts';
import { currencySchema } from '../../../src/shared/money/currency-schema.ts';
import { moneyText } from '../../../src/shared/money/money-text.ts';

const euro = { code: 'EUR', perUsd: 0.92 };
/** Some currencies have a code and a space that does not break in place of a sign. */
const plain = (text: string): string => text.replaceAll('\u{A0}', ' ');

describe('a sum in the own currency', () => {
  it('is not shown without a currency: the text stays as it was', () => {
    for (const usd of [null, 0, 0.000_01, 0.0421, 12, -3]) expect(bothText(null, usd)).toBe(moneyText(usd));
  });

  it('stands behind the same sum in dollars', () => {
    expect(bothText(euro, 0.0421)).toBe('$0.0421 ≈ €0.039');
    expect(bothText(euro, 1234.5678)).toBe('$1234.5678 ≈ €1,135.80');
  });

  it.each([
    ['JPY', 152.3, 12.3456, '$12.3456 ≈ ¥1,880'],
    ['JPY', 152.3, 0.0421, '$0.0421 ≈ ¥6.4'],
    ['KWD', 0.307, 12.3456, '$12.3456 ≈ KWD 3.790'],
    ['CHF', 0.88, 12.3456, '$12.3456 ≈ CHF 10.86'],
    ['CAD', 1.4, 1, '$1.0000 ≈ CA$1.40'],
    ['EUR', 1, 1000, '$1000.0000 ≈ €1,000.00'],
    ['EUR', 1, 0.5, '$0.5000 ≈ €0.50'],
    ['JPY', 100, 1, '$1.0000 ≈ ¥100'],
    ['KWD', 0.5, 0.1, '$0.1000 ≈ KWD 0.050'],
  ])('has the decimals of its currency, and two digits if it is small: %s', (code, perUsd, usd, text) => {
    expect(plain(bothText({ code, perUsd }, usd))).toBe(text);
  });

  it('is left out where it says nothing: an unknown price, nothing, and a number that is too large', () => {
    expect(bothText(euro, null)).toBe('unpriced');
    expect(bothText(euro, 0)).toBe('$0');
    for (const usd of [Number.NaN, Number.POSITIVE_INFINITY, 1.7e308])
      expect(bothText({ code: 'JPY', perUsd: 150 }, usd)).toBe(moneyText(usd));
  });

  it('keeps its sign, and shows a tiny sum as more than 0', () => {
    expect(bothText(euro, -0.5)).toContain('≈ -€0.46');
    expect(bothText(euro, 1e-7)).toBe('under $0.0001 ≈ €0.000000092');
  });

  it('is written once for a range, not once for each end', () => {
    const range = inBoth({ currency: euro }, (show) => `${show(0.06)} (${show(0)} to ${show(0.09)})`);
    expect(range).toBe('$0.0600 ($0 to $0.0900) ≈ €0.055 (€0 to €0.083)');
  });

  it('is left out of a text without a sum', () => {
    expect(inBoth({ currency: euro }, () => '-')).toBe('-');
  });
});

describe('the setting of a currency', () => {
  const problem = (value: unknown): string | undefined => currencySchema.safeParse(value).error?.issues[0]?.message;

  it('takes a code in any case, with spaces around it', () => {
    expect(currencySchema.parse({ code: ' eur ', perUsd: 0.92 })).toEqual(euro);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 1e-9, '0.92', null, undefined])(
    'refuses the rate %s, and says what one is',
    (perUsd) => {
      expect(problem({ code: 'EUR', perUsd })).toMatch(/^Say how much 1 US dollar is, as a number from/u);
    },
  );

  it.each([
    ['QQQ', 'QQQ is not the code of a currency. Use three letters of ISO 4217, such as EUR.'],
    ['€', 'This is not the code of a currency. Use three letters of ISO 4217, such as EUR.'],
    ['a\nlong text', 'This is not the code of a currency. Use three letters of ISO 4217, such as EUR.'],
    ['', 'This is not the code of a currency. Use three letters of ISO 4217, such as EUR.'],
    ['USD', 'Sums are in US dollars already. Unset it to see dollars alone.'],
    [4, 'Use the code of a currency, such as "EUR".'],
  ])('refuses the code %j', (code, message) => {
    expect(problem({ code, perUsd: 0.92 })).toBe(message);
  });

  it.each(['EUR', 0.92, [], { code: 'EUR' }, { code: 'EUR', perUsd: 1, more: 1 }])('refuses %j', (value) => {
    expect(problem(value)).toBeTypeOf('string');
  });
});

describe('a sum that is entered in the own currency', () => {
  it.each([0.92, 1.37, 0.000_012_5, 156.03, 25_400])('comes back as it was typed, at a rate of %s', (perUsd) => {
    const currency = { code: 'EUR', perUsd };
    for (const typed of [0.3, 0.2987, 1, 1_299.99, 0, 48_000_000])
      expect(enteredSum(currency, usdOf(currency, typed))).toBe(typed);
  });
});
