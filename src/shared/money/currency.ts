import type { z } from 'zod';
import type { currencySchema } from './currency-schema.ts';
import { moneyText } from './money-text.ts';

/** A currency that sums are shown in beside US dollars, at the rate that the user says. */
export type Currency = Readonly<z.infer<typeof currencySchema>>;

type Show = (usd: number | null) => string;

interface BothInput {
  /** Null: dollars alone. */
  readonly currency: Currency | null;
  /** How dollars are shown. */
  readonly dollars?: Show;
}

/**
 * A text of sums in dollars, then the same in the currency: `$0.06 ($0.04 to $0.09) ≈ €0.055 (€0.037 to €0.083)`. In
 * dollars alone where `inOwn` has nothing.
 */
export function inBoth(input: BothInput, write: (show: Show) => string): string {
  const { dollars = moneyText } = input;
  const own = inOwn(input, write);
  return own === null ? write(dollars) : `${write(dollars)} ≈ ${own}`;
}

/** The text in the currency. Null: there is none, no sum in the text is known, or all are 0. */
export function inOwn({ currency, dollars = moneyText }: BothInput, write: (show: Show) => string): string | null {
  if (currency === null) return null;
  let isWorthIt = false;
  let isKnown = true;
  const format = sumFormat(currency);
  const text = write((usd) => {
    if (usd === null) return dollars(null);
    const sum = inCurrency(currency, usd);
    if (!Number.isFinite(sum)) isKnown = false;
    if (sum !== 0) isWorthIt = true;
    return format(sum);
  });
  return isWorthIt && isKnown ? text : null;
}

/** One sum in both. */
export function bothText(currency: Currency | null, usd: number | null): string {
  return inBoth({ currency }, (show) => show(usd));
}

export function inCurrency({ perUsd }: Currency, usd: number): number {
  return usd * perUsd;
}

/** Dollars of a sum that a person says in the currency. */
export function usdOf({ perUsd }: Currency, sum: number): number {
  return sum / perUsd;
}

/** The sum that a person said and that is kept in dollars: without the digits that only the way there and back made. */
export function enteredSum(currency: Currency, usd: number): number {
  return Number(inCurrency(currency, usd).toPrecision(9));
}

/** What a report says of the currency in it. */
export function rateText({ code: name, perUsd }: Currency): string {
  return `1 US dollar = ${perUsd} ${name}, as set by hand. Models are billed in dollars.`;
}

/** With the decimals that the currency has. A sum with fewer than two digits then gets two: the dollars have the rest. */
function sumFormat({ code: currency }: Currency): (sum: number) => string {
  const style = { style: 'currency', currency } as const;
  const usual = new Intl.NumberFormat('en', style);
  const none = new Intl.NumberFormat('en', { ...style, minimumFractionDigits: 0, maximumFractionDigits: 0 });
  const small = new Intl.NumberFormat('en', { ...style, minimumSignificantDigits: 2, maximumSignificantDigits: 2 });
  const least = 10 / 10 ** (usual.resolvedOptions().maximumFractionDigits ?? 0);
  return (sum) => (sum === 0 ? none : Math.abs(sum) < least ? small : usual).format(sum);
}
