import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { fitsExpression } from './plain-expression.ts';

/** A rate above this is an error of the list: the dearest known model costs 600 dollars per million tokens. */
const mostPerMillion = 10_000;

const rateSchema = z.number().nonnegative().max(mostPerMillion);
const listedRateSchema = z.union([
  rateSchema,
  z.strictObject({
    base: rateSchema,
    tiers: z.array(z.strictObject({ start: z.number().int().nonnegative(), price: rateSchema })).max(16),
  }),
]);
export type ListedRate = z.infer<typeof listedRateSchema>;
const ratesSchema = z.record(z.string().max(60), listedRateSchema);
export type ListedRates = Readonly<Record<string, ListedRate | undefined>>;

const time = z.string().regex(/^\d{2}:\d{2}:\d{2}Z$/u);
const conditionalSchema = z.strictObject({
  constraint: z
    .union([
      z.strictObject({ start_date: z.iso.date(), type: z.literal('start_date').optional() }),
      z.strictObject({ start_time: time, end_time: time, type: z.literal('time_of_date').optional() }),
    ])
    .optional(),
  prices: ratesSchema,
});

export type Match =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  /** Never run: an expression from outside can hang the program. `plain-expression.ts` reads the plain ones. */
  | { readonly regex: string }
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] };
const part = z.string().min(1).max(200);
const matchSchema: z.ZodType<Match> = z.lazy(() =>
  z.union([
    z.strictObject({ equals: part }),
    z.strictObject({ starts_with: part }),
    z.strictObject({ ends_with: part }),
    z.strictObject({ contains: part }),
    z.strictObject({ regex: part }),
    z.strictObject({ or: z.array(matchSchema).max(200) }),
    z.strictObject({ and: z.array(matchSchema).max(200) }),
  ]),
);

/** All prices of the list are in US dollars. One that says otherwise cannot be used. */
const currency = z.literal('USD').optional();
const modelSchema = z.object({
  id: part,
  match: matchSchema,
  prices: z.union([ratesSchema, z.array(conditionalSchema).min(1).max(50)]),
  currency,
});
const serviceSchema = z.object({
  id: part,
  models: z.array(modelSchema).max(5_000),
  fallback_model_providers: z.array(part).max(20).optional(),
  currency,
});
type ListedService = z.infer<typeof serviceSchema>;

export const fetchedPricesSchema = z.strictObject({
  /** The day on which the list was fetched. */
  date: z.iso.date(),
  services: z.array(serviceSchema).min(1).max(500),
});
/** A price list from the network, checked. Looking up a price in it cannot fail. */
export type FetchedPrices = z.infer<typeof fetchedPricesSchema>;

/** Checks a list as its publisher writes it. Throws `AppError` with what is wrong. */
export function parsePrices(text: string, date: string): FetchedPrices {
  try {
    return fetchedPricesSchema.parse({ date, services: JSON.parse(text) });
  } catch (error) {
    throw new AppError('bad-input', `This is not a price list that Dewpoint can use (${faultOf(error)}).`);
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'it cannot be read as JSON';
  const issue = deepest(error.issues);
  const place = issue.path.filter((step) => step !== 'services').join('.');
  return `${place === '' ? 'the list' : place}: ${issue.message}`.slice(0, 200);
}

/** Of a choice between forms, the form that fits best says what is wrong. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [first] = issues;
  if (first === undefined) return { code: 'custom', path: [], message: 'it is empty', input: undefined };
  if (first.code !== 'invalid_union') return first;
  const [inner] = first.errors.flatMap((form) => (form.length === 0 ? [] : [deepest(form)])).sort(byDepth);
  return inner === undefined ? first : { ...inner, path: [...first.path, ...inner.path] };
}

const byDepth = (left: z.core.$ZodIssue, right: z.core.$ZodIssue): number => right.path.length - left.path.length;

/** An entry of the list, which answers for a name. */
export interface FetchedEntry {
  readonly service: string;
  readonly model: string;
  readonly rates: ListedRates;
  /** Also those of other hours and later days. */
  readonly allRates: readonly ListedRates[];
}

/** What a service asks for a model at a time. Null: the list does not have the model. */
export function fetchedRates(
  { services }: FetchedPrices,
  { service, name, at }: { readonly service: string; readonly name: string; readonly at: number },
): FetchedEntry | null {
  const own = services.find(({ id }) => id === service);
  const others = (own?.fallback_model_providers ?? []).flatMap((id) => services.find((one) => one.id === id) ?? []);
  const asked = name.toLowerCase().trim();
  for (const { id, models } of own === undefined ? [] : [own, ...others]) {
    const model = models.find(({ match }) => isMatch(match, asked));
    if (model === undefined) continue;
    const { prices } = model;
    const allRates = Array.isArray(prices) ? prices.map((one) => one.prices) : [prices];
    return { service: id, model: model.id, rates: ratesAt(model, at), allRates };
  }
  return null;
}

function isMatch(match: Match, name: string): boolean {
  if ('or' in match) return match.or.some((one) => isMatch(one, name));
  if ('and' in match) return match.and.length > 0 && match.and.every((one) => isMatch(one, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return name.includes(match.contains.toLowerCase());
  return fitsExpression(match.regex, name);
}

/** The last price whose condition holds, else the first. */
function ratesAt({ prices }: ListedService['models'][number], at: number): ListedRates {
  if (!Array.isArray(prices)) return prices;
  const day = new Date(at).toISOString();
  const clock = `${day.slice(11, 19)}Z`;
  const now = prices.findLast(({ constraint }) => {
    if (constraint === undefined) return true;
    if ('start_date' in constraint) return day >= constraint.start_date;
    const { start_time: start, end_time: end } = constraint;
    return end < start ? clock >= start || clock < end : clock >= start && clock < end;
  });
  return (now ?? prices[0])?.prices ?? {};
}
