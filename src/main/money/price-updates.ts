import { rm } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import type { PriceUpdate } from '@shared/money/price-changes.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';
import { downloadList } from '../lib/net/list-download.ts';
import { sha256Of } from '../lib/sha256.ts';
import { fetchedPricesSchema, parsePrices, type FetchedPrices } from './fetched-prices.ts';
import { checkedPrices, listChanges, missingIn, modelsIn, type CheckedPrices } from './list-changes.ts';
import { localDay } from './local-day.ts';
import { listedPrice, priceList, type PricedModel } from './price-list.ts';

/** The price list in use, and how to renew it. Only `update` uses the network. */
export interface PriceUpdates {
  /** As `listedPrice`. */
  readonly price: (model: PricedModel) => Promise<Price | null>;
  readonly show: () => Promise<PriceUpdate>;
  /** Fetches the list from its publisher and says what differs. Throws `AppError` with what is wrong. */
  readonly look: (signal: AbortSignal) => Promise<PriceUpdate>;
  /** Uses the list that was looked at last, by its hash. Throws `AppError` for another; the prices in use then stay. */
  readonly use: (hash: string) => Promise<PriceUpdate>;
  /** Returns to the list that came with this version. */
  readonly reset: () => Promise<PriceUpdate>;
}

export interface PriceUpdatesOptions {
  /** Where the fetched list is kept. It is checked again at each start. */
  readonly path: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

const kept = 'Your prices are as they were.';

export function createPriceUpdates({ path, fetch: get, now }: PriceUpdatesOptions): PriceUpdates {
  let inUse: Promise<FetchedPrices | null> | null = null;
  let seen: SeenPrices | null = null;
  const here = (): Promise<FetchedPrices | null> => (inUse ??= readKept(path));
  const described = (list: FetchedPrices | null, more: Partial<PriceUpdate>) => describe(list, more, now());
  return {
    price: async (model) => listedPrice(model, await here()),
    show: async () => described(await here(), { isTaken: true }),
    async look(signal) {
      const { REMOTE_DATA_JSON_URL: address } = await import('@pydantic/genai-prices');
      const text = await downloadList(address, { fetch: get, signal, kept });
      const before = await here();
      const found = await keeping(async () => checkedPrices(before, parsePrices(text, localDay(now())), now()));
      signal.throwIfAborted();
      seen = { ...found, before, hash: sha256Of(canonicalJson([before, found.list])) };
      return described(found.list, seen);
    },
    async use(hash) {
      const before = await here();
      if (seen === null || seen.hash !== hash || seen.before !== before) throw notSeen();
      const { list, changes, leftOut } = seen;
      await writeJsonFile(path, list);
      inUse = Promise.resolve(list);
      // Only now: a list that could not be kept can be used with another try.
      seen = null;
      return described(list, { changes, leftOut, isTaken: true });
    },
    async reset() {
      const before = await here();
      await rm(path, { force: true });
      inUse = Promise.resolve(null);
      const changes = before === null ? [] : await listChanges(before, null, now());
      return described(null, { changes, isTaken: true });
    },
  };
}

/** The list that a person saw, with what it changes. It is used as it was seen, or not at all. */
interface SeenPrices extends CheckedPrices {
  /** The list in use at that time. */
  readonly before: FetchedPrices | null;
  readonly hash: string;
}

const notSeen = (): AppError =>
  new AppError('conflict', `The list that you saw is not the newest any more. ${kept}`, {
    hint: 'Look for new prices again.',
  });

/** Null: none was fetched, it cannot be read, or the program brings a newer one. */
async function readKept(path: string): Promise<FetchedPrices | null> {
  const file = await readJsonFile(path, (value) => fetchedPricesSchema.parse(value));
  return file.type === 'value' && file.value.date >= priceList.date ? file.value : null;
}

async function keeping(check: () => Promise<CheckedPrices>): Promise<CheckedPrices> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = 'Try again later, or update Dewpoint. To set a price of your own: dewpoint settings set prices';
    throw new AppError(error.code, `${error.message} ${kept}`, { hint });
  }
}

async function describe(
  list: FetchedPrices | null,
  { changes = [], leftOut = [], hash = '', isTaken = false }: Partial<PriceUpdate>,
  at: number,
): Promise<PriceUpdate> {
  const models = (await modelsIn(list)).length;
  const keepShipped = list === null ? 0 : await missingIn(list, at);
  const isFetched = list !== null;
  return { date: list?.date ?? priceList.date, isFetched, models, changes, leftOut, keepShipped, hash, isTaken };
}
