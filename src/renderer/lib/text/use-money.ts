import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Currency, inBoth, inOwn } from '@shared/money/currency.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { useClient } from '../connection/core-context.ts';
import { money } from './format.ts';

type MoneyLine = (show: (usd: number | null) => string) => string;

interface ShownMoney {
  /** What sums are shown in beside dollars. Null: nothing. */
  readonly currency: Currency | null;
  /** One sum in dollars and in the currency. */
  readonly both: (usd: number | null) => string;
  /** A text of sums, once in each. */
  readonly write: (text: MoneyLine) => string;
  /** A text of sums in the currency alone, for narrow places. Null: there is none, or it would say nothing. */
  readonly own: (text: MoneyLine) => string | null;
}

/** For costs, comparisons and expectations. Limits and prices are in dollars alone. */
export function useMoney(): ShownMoney {
  const client = useClient();
  const { data: currency = null } = useQuery({
    queryKey: ['settings', 'money.currency'],
    queryFn: async ({ signal }) => currencyOf(await client.settings.get({ key: 'money.currency' }, { signal })),
  });
  return useMemo(() => {
    const write: ShownMoney['write'] = (text) => inBoth({ currency, dollars: money }, text);
    const own: ShownMoney['own'] = (text) => inOwn({ currency, dollars: money }, text);
    return { currency, both: (usd) => write((show) => show(usd)), write, own };
  }, [currency]);
}

/** Read by name, because the page has no schemas. */
export function currencyOf(value: unknown): Currency | null {
  const [code, perUsd] = [fieldOf(value, 'code'), fieldOf(value, 'perUsd')];
  return typeof code === 'string' && typeof perUsd === 'number' ? { code, perUsd } : null;
}
