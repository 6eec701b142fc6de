import { AppError } from '@shared/errors.ts';
import { amountsText, type ListedAmounts, type PriceChange } from '@shared/money/price-changes.ts';
import { ratesFor, type Price } from '@shared/money/token-cost.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { fetchedRates, type FetchedEntry, type FetchedPrices, type Match } from './fetched-prices.ts';
import { priceInLists, ratesOf, type ListedName } from './price-list.ts';

/** A list from the network, without what cannot be right, and what it changes. */
export interface CheckedPrices {
  readonly list: FetchedPrices;
  readonly changes: readonly PriceChange[];
  /** The models that keep the price in use. */
  readonly leftOut: readonly PriceChange[];
}

/** An entry that is left out can uncover another. A list that was made for this ends here. */
const mostPasses = 5;

/** Each name is compared with each entry. The list has 3,000. */
const mostNames = 10_000;

/**
 * Leaves out each entry whose price cannot be right. Throws `AppError` where that is so for many models: then the whole
 * list is in another unit, or false.
 */
export async function checkedPrices(
  before: FetchedPrices | null,
  fetched: FetchedPrices,
  at: number,
): Promise<CheckedPrices> {
  const names = (await modelsIn(fetched)).reduce((sum, one) => sum + one.names.length, 0);
  if (names > mostNames)
    throw new AppError('bad-input', `The list has ${names} names of models. Dewpoint reads at most ${mostNames}.`);
  const leftOut = new Map<string, PriceChange>();
  let list = fetched;
  for (let pass = 0; ; pass += 1) {
    const models = await comparedModels(before, list, at);
    const odd = models.flatMap((model) => {
      const after = oddPrice(model, 'odd');
      return after === null ? [] : [{ ...model, after }];
    });
    const known = models.filter(({ old, entry }) => old !== null && entry !== null).length;
    if (odd.length > known / 10 || pass === mostPasses) refuseAll(odd, known);
    const wrong = odd.filter((one) => !one.isOwn || oddPrice(one, 'fine') !== null);
    if (wrong.length === 0) return { list, changes: changesIn(models), leftOut: [...leftOut.values()] };
    for (const { name, entry, old, after } of wrong)
      leftOut.set(`${entry?.service}/${entry?.model}`, { model: name, before: amountsOf(old), after });
    list = withoutEntries(list, wrong, before);
  }
}

/** Each model whose price differs, and each new one. A model that is gone keeps the price of this version. */
export async function listChanges(
  before: FetchedPrices | null,
  after: FetchedPrices | null,
  at: number,
): Promise<readonly PriceChange[]> {
  return changesIn(await comparedModels(before, after, at));
}

/** How many models of this version a fetched list does not have, or not in a form that is read. */
export async function missingIn(list: FetchedPrices, at: number): Promise<number> {
  const isMissing = ({ service, names }: ListedModel): boolean =>
    names.every((name) => fetchedRates(list, { service, name, at }) === null);
  return (await modelsIn(null)).filter(isMissing).length;
}

/** OpenRouter tells its prices itself, with its list of models. */
const ownPrices = 'openrouter';

interface ListedModel {
  readonly service: string;
  readonly id: string;
  /** What it is called by: its id can be a name that no call has. */
  readonly names: readonly string[];
}

export async function modelsIn(list: FetchedPrices | null): Promise<readonly ListedModel[]> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  const services = list === null ? ((await waitForUpdate()) ?? []) : list.services;
  return services
    .filter(({ id }) => id !== ownPrices)
    .flatMap(({ id: service, models }) =>
      models.map(({ id, match }) => ({ service, id, names: [...new Set([id, ...namesOf(match)])] })),
    );
}

function namesOf(match: Match): readonly string[] {
  if ('or' in match) return match.or.flatMap(namesOf);
  if ('and' in match) return match.and.flatMap(namesOf);
  return 'regex' in match ? [] : Object.values(match);
}

interface ComparedModel {
  /** `SERVICE/MODEL`. */
  readonly name: string;
  readonly old: Price | null;
  readonly next: Price | null;
  /** What answers for it in the newer list. */
  readonly entry: FetchedEntry | null;
  /** That is the entry which had this name until now. */
  readonly isOwn: boolean;
}

async function comparedModels(
  before: FetchedPrices | null,
  after: FetchedPrices | null,
  at: number,
): Promise<readonly ComparedModel[]> {
  const names = new Map<string, ListedName & { readonly ids: string[] }>();
  const add = ({ service, id, names: all }: ListedModel, isKnown: boolean): void => {
    for (const name of all) {
      const key = `${service}/${name}`;
      const one = names.get(key) ?? { service, name, at, ids: [] };
      if (isKnown) one.ids.push(`${service}/${id}`);
      names.set(key, one);
    }
  };
  for (const model of [...(await modelsIn(null)), ...(await modelsIn(before))]) add(model, true);
  for (const model of await modelsIn(after)) add(model, false);
  const models: ComparedModel[] = [];
  for (const [name, asked] of names) {
    const entry = after === null ? null : fetchedRates(after, asked);
    const old = await priceInLists(asked, before);
    const next = await priceInLists(asked, after);
    models.push({ name, old, next, entry, isOwn: asked.ids.includes(`${entry?.service}/${entry?.model}`) });
  }
  return models;
}

/** Names of one model that change in the same way are one change. */
function changesIn(models: readonly ComparedModel[]): readonly PriceChange[] {
  const changes = new Map<string, PriceChange>();
  for (const { name, old, next } of models) {
    const [before, after] = [amountsOf(old), amountsOf(next)];
    if (canonicalJson(before) === canonicalJson(after)) continue;
    const key = canonicalJson([idIn(old), idIn(next), before, after]);
    if (!changes.has(key)) changes.set(key, { model: name, before, after });
  }
  return [...changes.values()];
}

/** A source ends with the service and the id in its list. */
const idIn = (price: Price | null): string => price?.source.slice(price.source.indexOf('(')) ?? '';

/** Everything that decides what a call costs. */
function amountsOf(price: Price | null): ListedAmounts | null {
  if (price === null) return null;
  const { source: _source, date: _date, ...amounts } = price;
  return amounts;
}

/** A list in another unit or currency, and a false one, differ by more than prices do. */
const mostFactor = 100;

/** What counts as odd: a service may give a model away, and a whole list of such models is an error. */
type Free = 'odd' | 'fine';

/** The price of any hour or day that differs too much from the one in use. Null: none does. */
function oddPrice({ old, entry }: ComparedModel, free: Free): ListedAmounts | null {
  if (old === null || entry === null) return null;
  return entry.allRates.map(ratesOf).find((rates) => rates !== null && isOdd(old, rates, free)) ?? null;
}

function isOdd(old: ListedAmounts, next: ListedAmounts, free: Free): boolean {
  const starts = [...(old.tiers ?? []), ...(next.tiers ?? [])].map(({ above }) => above + 1);
  const isOddCall = isFar(old.perCall ?? 0, next.perCall, free);
  return isOddCall || [0, ...starts].some((tokens) => isOddAt(ratesAt(old, tokens), ratesAt(next, tokens), free));
}

const ratesAt = (price: ListedAmounts, tokens: number) => ratesFor(tokens, { ...price, source: '', date: '' });

function isOddAt(old: ListedAmounts, next: ListedAmounts, free: Free): boolean {
  return (['input', 'output', 'cacheRead', 'cacheWrite'] as const).some((kind) => {
    const was = old[kind] ?? 0;
    // Without a rate of their own, such tokens cost as much as fresh input, and may become cheaper.
    return was === 0
      ? isFar(old.input, next[kind], 'fine') && (next[kind] ?? 0) > old.input
      : isFar(was, next[kind], free);
  });
}

/** What was free can become anything. */
const isFar = (was: number, is: number | undefined, free: Free): boolean =>
  is !== undefined && was > 0 && (is === 0 ? free === 'odd' : is > was * mostFactor || is < was / mostFactor);

/** Where the list in use was fetched, its entry takes the place of the one that is left out. */
function withoutEntries(
  list: FetchedPrices,
  wrong: readonly { readonly entry: FetchedEntry | null }[],
  before: FetchedPrices | null,
): FetchedPrices {
  const out = new Set(wrong.map(({ entry }) => `${entry?.service}/${entry?.model}`));
  const services = list.services.map((service) => {
    const earlier = before?.services.find(({ id }) => id === service.id)?.models ?? [];
    const models = service.models.flatMap((model) =>
      out.has(`${service.id}/${model.id}`) ? earlier.filter(({ id }) => id === model.id) : [model],
    );
    return { ...service, models };
  });
  return { ...list, services };
}

function refuseAll(odd: readonly (ComparedModel & { readonly after: ListedAmounts })[], known: number): void {
  const [first] = odd;
  if (first === undefined) return;
  const { name, old, after } = first;
  throw new AppError(
    'bad-input',
    `Of ${known} known prices in this list, ${odd.length} are 100 times as high as now, or less than a hundredth, such as ${seenName(name)}: ${old === null ? 'unknown' : amountsText(old)} → ${amountsText(after)}. That cannot be right.`,
  );
}
