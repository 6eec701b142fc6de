import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPriceUpdates, type PriceUpdates } from '../../../src/main/money/price-updates.ts';
import { priceList } from '../../../src/main/money/price-list.ts';
import type { Price } from '../../../src/shared/money/token-cost.ts';
import { costOf } from '../../../src/shared/money/token-cost.ts';
import { knownProviderSettings, providerSettingsSchema } from '../../../src/shared/settings/settings.ts';
import { fetchedAt, fetchedDay } from '../../fakes/page-prices.ts';

const never = new AbortController().signal;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-prices-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Counts its requests, and answers each with the same bytes. */
function publisher(body: string | ReadableStream, status = 200) {
  const asked: string[] = [];
  const get: typeof fetch = (input) => {
    asked.push(input instanceof Request ? input.url : input.toString());
    return Promise.resolve(new Response(body, { status }));
  };
  return { asked, get };
}

const open = (get: typeof fetch): PriceUpdates =>
  createPriceUpdates({ path: join(dir, 'prices.json'), fetch: get, now: () => fetchedAt });

const take = async (updates: PriceUpdates) => updates.use((await updates.look(never)).hash);

const rates = { input_mtok: 2, output_mtok: 12, cache_read_mtok: 0.2 };
const gpt = { id: 'gpt-5', match: { or: [{ equals: 'gpt-5' }, { regex: '^gpt-5-2025' }] }, prices: rates };
const listOf = (...models: readonly object[]): string =>
  JSON.stringify([{ id: 'openai', name: 'OpenAI', api_pattern: '.*', models }]);

async function priceOf(updates: PriceUpdates, name = 'gpt-5', provider = 'openai'): Promise<Price | null> {
  const settings = knownProviderSettings(provider) ?? providerSettingsSchema.parse({ kind: 'openai' });
  return updates.price({ settings, name, at: fetchedAt });
}

describe('a price list that is fetched on request', () => {
  it('is shown with old and new first, is used after a yes, also after a restart, and can be given back', async () => {
    const { asked, get } = publisher(listOf(gpt, { ...gpt, id: 'gpt-9', match: { equals: 'gpt-9' } }));
    const updates = open(get);
    const old = await priceOf(updates);
    expect(await updates.show()).toMatchObject({ date: priceList.date, isFetched: false, changes: [] });
    expect(asked).toEqual([]);
    const seen = await updates.look(never);
    expect(asked).toEqual([expect.stringMatching(/^https:\/\//u)]);
    expect(seen).toMatchObject({ date: fetchedDay, isFetched: true, models: 2, isTaken: false });
    expect(seen.changes).toEqual([
      {
        model: 'openai/gpt-5',
        before: { input: 1.25, output: 10, cacheRead: 0.125 },
        after: { input: 2, output: 12, cacheRead: 0.2 },
      },
      { model: 'openai/gpt-9', before: null, after: { input: 2, output: 12, cacheRead: 0.2 } },
    ]);
    expect(await priceOf(updates)).toEqual(old);
    expect(await updates.use(seen.hash)).toMatchObject({ isTaken: true, changes: seen.changes });
    expect(asked).toHaveLength(1);
    const taken = { ...(await priceOf(updates)) };
    expect(taken).toEqual({
      input: 2,
      output: 12,
      cacheRead: 0.2,
      source: 'genai-prices, fetched (openai/gpt-5)',
      date: fetchedDay,
    });
    expect(await priceOf(open(get))).toEqual(taken);
    expect(await priceOf(updates, 'gpt-4o-mini')).toMatchObject({ date: priceList.date });
    expect(await updates.look(never)).toMatchObject({ changes: [] });
    expect((await updates.reset()).changes).toContainEqual({
      model: 'openai/gpt-5',
      before: { input: 2, output: 12, cacheRead: 0.2 },
      after: { input: 1.25, output: 10, cacheRead: 0.125 },
    });
    expect(await priceOf(open(get))).toEqual(old);
  });

  it('knows cache rates, tiers, prices of a day, and models that another service serves', async () => {
    const tiered = { base: 2, tiers: [{ start: 200_000, price: 4 }] };
    const dated = [
      { prices: rates },
      { constraint: { start_date: priceList.date }, prices: { ...rates, input_mtok: tiered } },
    ];
    const own = { id: 'openai', models: [{ ...gpt, prices: dated }] };
    const { get } = publisher(JSON.stringify([own, { id: 'azure', models: [], fallback_model_providers: ['openai'] }]));
    const updates = open(get);
    await take(updates);
    const price = await priceOf(updates, 'GPT-5', 'azure');
    const usage = {
      freshInput: 200_000,
      cacheRead: 50_000,
      cacheWrite: 0,
      output: 1_000,
      reasoning: 0,
      estimated: false,
    };
    expect(costOf(usage, price)).toBeCloseTo(0.8 + 0.01 + 0.012, 9);
  });

  it('never runs an expression of the list, which could hang the program', async () => {
    const evil = { id: 'slow', match: { regex: '^(a+)+$' }, prices: rates };
    const updates = open(publisher(listOf(gpt, evil)).get);
    await take(updates);
    expect(await priceOf(updates, `${'a'.repeat(64)}!`)).toBeNull();
  });

  it('of a damaged file or older than the program is ignored', async () => {
    const path = join(dir, 'prices.json');
    await writeFile(path, `{"date":"${fetchedDay}","services":[{"id":"openai","models":[{"id":"gpt-5"}]}]}`);
    expect(await priceOf(open(fetch))).toMatchObject({ input: 1.25 });
    await writeFile(path, JSON.stringify({ date: '2026-01-01', services: JSON.parse(listOf(gpt)) }));
    expect(await priceOf(open(fetch))).toMatchObject({ input: 1.25 });
  });
});

describe('a price list that is wrong', () => {
  const withRates = (prices: unknown): string => listOf({ ...gpt, prices });
  const endless = (): ReadableStream =>
    new ReadableStream({ pull: (into) => into.enqueue(new Uint8Array(1024 * 1024).fill(32)) });
  it.each([
    ['negative', () => withRates({ ...rates, output_mtok: -1 }), 'output_mtok'],
    ['not a number', () => withRates(rates).replace('"input_mtok":2', '"input_mtok":NaN'), 'it cannot be read as JSON'],
    ['infinite', () => withRates(rates).replace('"input_mtok":2', '"input_mtok":1e999'), 'input_mtok'],
    ['huge', () => withRates({ ...rates, input_mtok: 2e6 }), 'input_mtok'],
    ['a word', () => withRates({ ...rates, input_mtok: '2' }), 'input_mtok'],
    ['in another currency', () => listOf({ ...gpt, currency: 'EUR' }), 'currency'],
    ['in another unit', () => withRates({ input_mtok: 0.000002, output_mtok: 0.000012 }), 'cannot be right'],
    ['a thousand times as high', () => withRates({ input_mtok: 1250, output_mtok: 10_000 }), 'cannot be right'],
    ['free of a sudden', () => withRates({ input_mtok: 0, output_mtok: 0 }), 'cannot be right'],
    [
      'a catch-all that is free',
      () => listOf({ id: 'x', match: { contains: 'gpt' }, prices: { input_mtok: 0, output_mtok: 0 } }),
      'cannot be right',
    ],
    ['empty', () => '[]', 'the list: Too small'],
    ['something else', () => '{"prices":{}}', 'the list: Invalid'],
    ['a page', () => '<!doctype html>', 'it cannot be read as JSON'],
    ['very deep', () => listOf({ ...gpt, match: '?' }).replace('"?"', nested(20_000)), 'cannot be read'],
    ['endless', endless, 'too large'],
  ])('because it is %s changes nothing and says why', async (_what, body, why) => {
    const kept = open(publisher(listOf(gpt)).get);
    await take(kept);
    const file = await readFile(join(dir, 'prices.json'), 'utf8');
    const { mtimeMs } = await stat(join(dir, 'prices.json'));
    const updates = open(publisher(body()).get);
    const refused = await take(updates).then(() => 'taken', String);
    expect(refused).toContain(why);
    expect(refused).toContain('Your prices are as they were.');
    expect(await readFile(join(dir, 'prices.json'), 'utf8')).toBe(file);
    expect((await stat(join(dir, 'prices.json'))).mtimeMs).toBe(mtimeMs);
    expect(await priceOf(updates)).toMatchObject({ input: 2 });
  });

  it('because nobody answers, or with a failure, changes nothing, and a stop ends the wait', async () => {
    await expect(take(open(publisher('', 500).get))).rejects.toThrow(/answered 500.*as they were/u);
    await expect(
      take(open(() => Promise.reject(new TypeError('fetch failed', { cause: new Error('no such host') })))),
    ).rejects.toThrow('could not be reached: no such host. Your');
    const stop = new AbortController();
    const asked = Promise.withResolvers<void>();
    const silent: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
        asked.resolve();
      });
    const waiting = open(silent).look(stop.signal);
    await asked.promise;
    stop.abort();
    await expect(waiting).rejects.toThrow('stopped');
    expect(await priceOf(open(fetch))).toMatchObject({ input: 1.25 });
  });
});

const nested = (depth: number): string => `${'{"and":['.repeat(depth)}{"equals":"x"}${']}'.repeat(depth)}`;
