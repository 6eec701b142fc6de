import { rm } from 'node:fs/promises';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ListedAmounts, PriceChange, PriceUpdate } from '@shared/money/price-changes.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';
import { rootCause } from '../lib/net/root-cause.ts';
import { textUpTo } from '../lib/net/text-up-to.ts';
import { fetchedPricesSchema, parsePrices, type FetchedPrices } from './fetched-prices.ts';
import { localDay } from './local-day.ts';
import { listedPrice, priceInLists, priceList, type PricedModel } from './price-list.ts';

/** The price list in use, and how to renew it. Only `update` uses the network. */
export interface PriceUpdates {
  /** As `listedPrice`. */
  readonly price: (model: PricedModel) => Promise<Price | null>;
  readonly show: () => Promise<PriceUpdate>;
  /**
   * Fetches the list from its publisher and says what differs. With `apply`, the list that was shown last is used, or
   * else the one fetched now. Throws `AppError` with what is wrong; the prices in use then stay.
   */
  readonly update: (apply: boolean, signal: AbortSignal) => Promise<PriceUpdate>;
  /** Returns to the list that came with this version. */
  readonly reset: () => Promise<PriceUpdate>;
}

export interface PriceUpdatesOptions {
  /** Where the fetched list is kept. It is checked again at each start. */
  readonly path: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

const mostBytes = 8 * 1024 * 1024;
const kept = 'Your prices are as they were.';

export function createPriceUpdates({ path, fetch: get, now }: PriceUpdatesOptions): PriceUpdates {
  let inUse: Promise<FetchedPrices | null> | null = null;
  let shown: FetchedPrices | null = null;
  const here = (): Promise<FetchedPrices | null> => (inUse ??= readKept(path));
  const load = async (signal: AbortSignal): Promise<FetchedPrices> => {
    const { REMOTE_DATA_JSON_URL: address } = await import('@pydantic/genai-prices');
    const text = await download(address, get, signal);
    return checked(() => parsePrices(text, localDay(now())));
  };
  return {
    price: async (model) => listedPrice(model, await here()),
    show: async () => described(await here(), [], true),
    async update(apply, signal) {
      const before = await here();
      const next = (apply ? shown : null) ?? (await load(signal));
      const changes = await changesOf(before, next, now());
      refuseUnlikely(changes);
      shown = apply ? null : next;
      if (apply) {
        await writeJsonFile(path, next);
        inUse = Promise.resolve(next);
      }
      return described(next, changes, apply);
    },
    async reset() {
      const before = await here();
      await rm(path, { force: true });
      inUse = Promise.resolve(null);
      return described(null, before === null ? [] : await changesOf(before, null, now()), true);
    },
  };
}

async function download(address: string, get: typeof fetch, signal: AbortSignal): Promise<string> {
  try {
    const response = await get(address, { signal, redirect: 'error' });
    if (!response.ok) throw new AppError('network', `${address} answered ${response.status}. ${kept}`);
    const text = await textUpTo(response, mostBytes);
    if (text === null) throw new AppError('bad-input', `The list at ${address} is too large. ${kept}`);
    return text;
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw new AppError(
      'network',
      `${address} could not be reached: ${messageOf(error instanceof Error ? rootCause(error) : error)}. ${kept}`,
      { cause: error },
    );
  }
}

/** Null: none was fetched, it cannot be read, or the program brings a newer one. */
async function readKept(path: string): Promise<FetchedPrices | null> {
  const file = await readJsonFile(path, (value) => fetchedPricesSchema.parse(value));
  return file.type === 'value' && file.value.date >= priceList.date ? file.value : null;
}

function checked(parse: () => FetchedPrices): FetchedPrices {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${error.message} ${kept}`, { hint: 'Try again later, or update Dewpoint.' });
  }
}

async function described(
  list: FetchedPrices | null,
  changes: readonly PriceChange[],
  isTaken: boolean,
): Promise<PriceUpdate> {
  const models = (await namesIn(list)).length;
  return { date: list?.date ?? priceList.date, isFetched: list !== null, models, changes, isTaken };
}

/** OpenRouter tells its prices itself, with its list of models. */
const ownPrices = 'openrouter';

type Names = readonly { readonly service: string; readonly name: string }[];

async function namesIn(list: FetchedPrices | null): Promise<Names> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  const services = list === null ? ((await waitForUpdate()) ?? []) : list.services;
  return services
    .filter(({ id }) => id !== ownPrices)
    .flatMap(({ id: service, models }) => models.map(({ id: name }) => ({ service, name })));
}

/** Each model whose price differs, and each new one. A model that is gone keeps the price of this version. */
async function changesOf(
  before: FetchedPrices | null,
  after: FetchedPrices | null,
  at: number,
): Promise<readonly PriceChange[]> {
  const names = new Map(
    [...(await namesIn(null)), ...(await namesIn(before)), ...(await namesIn(after))].map((one) => [
      `${one.service}/${one.name}`,
      one,
    ]),
  );
  const changes: PriceChange[] = [];
  for (const [model, one] of names) {
    const asked = { ...one, at };
    const old = await priceInLists(asked, before);
    const next = await priceInLists(asked, after);
    if (ratesText(old) === ratesText(next)) continue;
    changes.push({ model, before: amountsOf(old), after: amountsOf(next) });
  }
  return changes;
}

function amountsOf(price: Price | null): ListedAmounts | null {
  if (price === null) return null;
  const { input, output, cacheRead, cacheWrite } = price;
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** Everything that decides what a call costs. */
const ratesText = (price: Price | null): string =>
  price === null ? '' : canonicalJson({ ...price, source: '', date: '' });

/** A list in another unit or currency, and a false one, differ by more than prices do. */
const mostFactor = 100;

function refuseUnlikely(changes: readonly PriceChange[]): void {
  for (const { model, before, after } of changes) {
    for (const kind of ['input', 'output'] as const) {
      const old = before?.[kind] ?? 0;
      const next = after?.[kind] ?? old;
      if (old === 0 || (next <= old * mostFactor && next >= old / mostFactor)) continue;
      throw new AppError(
        'bad-input',
        `The list says $${next} per million tokens of ${kind} for ${model}, and until now it was $${old}. That cannot be right. ${kept}`,
        { hint: 'Try again later. To set a price of your own: dewpoint settings set prices' },
      );
    }
  }
}
