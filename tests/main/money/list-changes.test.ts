import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchedRates, parsePrices } from '../../../src/main/money/fetched-prices.ts';
import { checkedPrices, missingIn } from '../../../src/main/money/list-changes.ts';
import { fitsExpression } from '../../../src/main/money/plain-expression.ts';
import { createPriceUpdates } from '../../../src/main/money/price-updates.ts';
import { priceInLists, priceList } from '../../../src/main/money/price-list.ts';
import { amountsText } from '../../../src/shared/money/price-changes.ts';

const at = Date.parse(priceList.date) + 60 * 86_400_000;
const none = new AbortController().signal;
const rates = { input_mtok: 3, output_mtok: 15, cache_read_mtok: 0.3, cache_write_mtok: 3.75 };
const model = (id: string, prices: unknown = rates): object => ({ id, match: { equals: id }, prices });
const listText = (...models: readonly object[]): string => JSON.stringify([{ id: 'example', models }]);
const listOf = (...models: readonly object[]) => parsePrices(listText(...models), '2027-01-01');
const others = Array.from({ length: 30 }, (_, count) => model(`other-${count}`));
const inUse = listOf(model('a'), model('b'), ...others);
const priceOf = async (list: typeof inUse, name: string) => priceInLists({ service: 'example', name, at }, list);

// Catches: one model whose price was corrected or became free, which holds back the prices of all others.
describe('a price of a fetched list that cannot be right', () => {
  it.each([
    ['input', { ...rates, input_mtok: 301 }],
    ['output', { ...rates, output_mtok: 0.1 }],
    ['cache read', { ...rates, cache_read_mtok: 31 }],
    ['cache write', { ...rates, cache_write_mtok: 376 }],
    ['tier', { ...rates, output_mtok: { base: 15, tiers: [{ start: 1000, price: 1501 }] } }],
    [
      'rate of a later day',
      [{ prices: rates }, { constraint: { start_date: '2099-01-01' }, prices: { ...rates, input_mtok: 301 } }],
    ],
  ])('of one %s is left out by name, and all others are used', async (_rate, prices) => {
    const found = await checkedPrices(
      inUse,
      listOf(model('a', prices), model('b', { ...rates, input_mtok: 4 }), ...others),
      at,
    );
    expect(found.leftOut.map(({ model: name }) => name)).toEqual(['example/a']);
    expect(found.changes.map(({ model: name }) => name)).toEqual(['example/b']);
    expect(await priceOf(found.list, 'a')).toMatchObject({ input: 3, output: 15, cacheWrite: 3.75 });
    expect(await priceOf(found.list, 'b')).toMatchObject({ input: 4 });
  });

  it('is none where one model became free by its own entry', async () => {
    const free = { input_mtok: 0, output_mtok: 0 };
    const found = await checkedPrices(inUse, listOf(model('a', free), model('b'), ...others), at);
    expect(found).toMatchObject({ leftOut: [], changes: [{ model: 'example/a', after: { input: 0, output: 0 } }] });
    expect(amountsText({ input: 0, output: 0 })).toBe('free');
    const byAnother = { id: 'x', match: { starts_with: 'a' }, prices: free };
    const kept = await checkedPrices(inUse, listOf(byAnother, model('a'), model('b'), ...others), at);
    expect(kept).toMatchObject({ leftOut: [{ model: 'example/a' }] });
    expect(await priceOf(kept.list, 'a')).toMatchObject({ input: 3 });
    const allFree = listOf(...['a', 'b', 'other-1', 'other-2', 'other-3'].map((id) => model(id, free)));
    await expect(checkedPrices(inUse, allFree, at)).rejects.toThrow('cannot be right');
  });
});

it('A list with too many names is refused before they are compared', async () => {
  const names = Array.from({ length: 200 }, (_, count) => ({ equals: `n-${count}` }));
  const many = listOf(
    ...Array.from({ length: 60 }, (_, count) => ({ id: `m-${count}`, match: { or: names }, prices: rates })),
  );
  await expect(checkedPrices(inUse, many, at)).rejects.toThrow('Dewpoint reads at most 10000.');
});

it('All rates of a model are shown, so that no change has two equal sides', () => {
  expect(
    amountsText({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
      perCall: 0.01,
      tiers: [{ above: 200_000, input: 6, output: 22.5 }],
    }),
  ).toBe('in $3, out $15, cached $0.3, cache write $3.75, each call $0.01; above 200000 tokens in $6, out $22.5');
});

// Catches: a newest list whose dated names, and names such as gemini-2.5-pro, keep the old price without a word.
describe('the list of this version, fetched', () => {
  it('has each of its models, and dated names, at the price of the package', async () => {
    const services = (await waitForUpdate()) ?? [];
    const list = parsePrices(JSON.stringify(services), '2027-01-01');
    expect(await missingIn(list, at)).toBe(0);
    const dated = [
      ['google', 'gemini-2.5-pro'],
      ['anthropic', 'claude-opus-5-20260801'],
      ['openai', 'gpt-6-sol-2026-08-01'],
    ] as const;
    for (const [service, name] of dated) {
      const listed = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, {
        providerId: service,
        timestamp: new Date(at),
      });
      expect(fetchedRates(list, { service, name, at })?.model).toBe(listed?.model.id);
    }
    expect(fetchedRates(list, { service: 'google', name: 'gemini-2.5-pro-tts', at })?.model).not.toBe('gemini-2.5-pro');
  });

  it('says how many models it does not have', async () => {
    expect(await missingIn(listOf(model('a')), at)).toBeGreaterThan(500);
  });

  it('is compared by the names of calls, where the id of a model is no such name', async () => {
    const named = (input: number) => ({
      id: 'short',
      match: { or: [{ equals: 'accounts/x/short' }, { equals: 'accounts/x/short-us' }] },
      prices: { ...rates, input_mtok: input },
    });
    const before = listOf(named(3), ...others);
    const { changes } = await checkedPrices(before, listOf(named(4), ...others), at);
    expect(changes).toMatchObject([{ model: 'example/accounts/x/short', before: { input: 3 }, after: { input: 4 } }]);
    const { leftOut } = await checkedPrices(before, listOf(named(400), ...others), at);
    expect(leftOut).toHaveLength(1);
  });
});

it('A plain expression is compared and no other is run', () => {
  const fits = (expression: string, name: string): boolean => fitsExpression(expression, name);
  expect(fits(String.raw`^o-4\.5-\d{4}-\d{2}-\d{2}$`, 'o-4.5-2026-08-01')).toBe(true);
  expect(fits(String.raw`^o-4\.5-\d{8}$`, 'o-4.5-2026080')).toBe(false);
  expect(fits(String.raw`^o-4\.5-\d{8}$`, 'o-4.5-202608011')).toBe(false);
  expect(fits(String.raw`^o-4\.5-\d`, 'o-4.5-1-long')).toBe(true);
  expect(fits(String.raw`^o\[fast=false\]$`, 'o[fast=false]')).toBe(true);
  for (const other of ['^(a+)+$', 'a', '^a.c$', '^a*', '^a|b$', '^[ab]$', '^a$b', String.raw`^\w$`])
    expect(fits(other, 'a')).toBe(false);
});

// Catches: a second try that uses a list which nobody saw, after the first could not be written.
describe('a list that a person saw', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dewpoint-prices-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  let input = 0;
  const open = (path: string) =>
    createPriceUpdates({
      path,
      now: () => at,
      fetch: () =>
        Promise.resolve(Response.json(JSON.parse(listText(model('new', { ...rates, input_mtok: (input += 1) }))))),
    });

  it('is used with another try where it could not be written', async () => {
    const path = join(dir, 'prices.json');
    await mkdir(join(path, 'in-the-way'), { recursive: true });
    const updates = open(path);
    const seen = await updates.look(none);
    await expect(updates.use(seen.hash)).rejects.toThrow();
    await rm(path, { recursive: true });
    expect(await updates.use(seen.hash)).toMatchObject({ isTaken: true, changes: seen.changes });
  });

  it('is not replaced by one that somebody else looked at later', async () => {
    const updates = open(join(dir, 'prices.json'));
    const seen = await updates.look(none);
    const later = await updates.look(none);
    await expect(updates.use(seen.hash)).rejects.toThrow('is not the newest any more. Your prices are as they were.');
    expect((await updates.show()).isFetched).toBe(false);
    expect(await updates.use(later.hash)).toMatchObject({ isTaken: true });
    await updates.reset();
    await expect(updates.use(later.hash)).rejects.toThrow('is not the newest any more');
  });
});
