import { z } from 'zod';

const code = z
  .string('Use the code of a currency, such as "EUR".')
  .trim()
  .toUpperCase()
  .refine((text) => Intl.supportedValuesOf('currency').includes(text), {
    error: ({ input }) =>
      `${shownCode(input)} is not the code of a currency. Use three letters of ISO 4217, such as EUR.`,
    abort: true,
  })
  .refine((text) => text !== 'USD', 'Sums are in US dollars already. Unset it to see dollars alone.');

const rate = 'Say how much 1 US dollar is, as a number from 0.000001 to 10000000, such as 0.92.';

/** A code of ISO 4217, and how much 1 US dollar is in it. */
export const currencySchema = z.strictObject(
  { code, perUsd: z.number(rate).min(0.000_001, rate).max(10_000_000, rate) },
  'Use a code and a rate: {"code": "EUR", "perUsd": 0.92}.',
);

/** A wrong code can be any text, and its message stays one line. */
function shownCode(input: unknown): string {
  return typeof input === 'string' && /^\w{1,10}$/u.test(input) ? input : 'This';
}
