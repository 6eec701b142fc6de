/** US dollars per million tokens. */
export interface ListedAmounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** One model of a price list. Null before: a new model. Null after: its price is not known any more. */
export interface PriceChange {
  /** `SERVICE/MODEL`, as the list names them. */
  readonly model: string;
  readonly before: ListedAmounts | null;
  readonly after: ListedAmounts | null;
}

/** The price list in use, or the one that an update would use. */
export interface PriceUpdate {
  readonly date: string;
  /** False: it came with this version of Dewpoint. */
  readonly isFetched: boolean;
  readonly models: number;
  /** What differs from the list in use. Empty where the list in use is only shown. */
  readonly changes: readonly PriceChange[];
  /** False when an update was only previewed. */
  readonly isTaken: boolean;
}

/**
 * Services whose documents say that requests which may wait a day cost half. Checked in June 2026. Dewpoint asks at
 * once, so this is for comparing only.
 */
const halfForBatches: ReadonlySet<string> = new Set(['openai', 'anthropic', 'gemini', 'mistral', 'groq', 'fireworks']);

/** What a sum would be at the batch rate of a provider. Null: none is known, or the sum is unknown. */
export function batchUsd(provider: string, usd: number | null): number | null {
  return usd === null || !halfForBatches.has(provider) ? null : usd / 2;
}

/** The rates in words, such as `in $1.25, out $10, cached $0.125`. */
export function amountsText({ input, output, cacheRead }: ListedAmounts): string {
  const cached = cacheRead === undefined ? '' : `, cached $${cacheRead}`;
  return `in $${input}, out $${output}${cached}`;
}
