import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** A price that the user set, in US dollars per million tokens. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}

const none: ReadonlyMap<string, OwnPrice> = new Map();

/** By the id of the model. Figures based on one of these are marked. */
export function useOwnPrices(): ReadonlyMap<string, OwnPrice> {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['settings', 'prices'],
    queryFn: async ({ signal }) => pricesOf(await client.settings.get({ key: 'prices' }, { signal })),
  });
  return data ?? none;
}

function pricesOf(value: unknown): ReadonlyMap<string, OwnPrice> {
  if (typeof value !== 'object' || value === null) return none;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return new Map(
    entries.map(([id, price]) => [
      id,
      {
        input: rateAt(price, 'input') ?? 0,
        output: rateAt(price, 'output') ?? 0,
        cacheRead: rateAt(price, 'cacheRead'),
        cacheWrite: rateAt(price, 'cacheWrite'),
      },
    ]),
  );
}

function rateAt(price: unknown, name: string): number | null {
  const rate: unknown = fieldOf(price, name);
  return typeof rate === 'number' ? rate : null;
}
