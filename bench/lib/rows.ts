/** The target of a figure. The limit itself is allowed. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** One figure of a benchmark: one line of the table that `npm run bench` prints. */
export interface BenchRow {
  readonly figure: string;
  /** Null if it could not be measured. Then `note` says why, and a target counts as missed. */
  readonly value: number | null;
  /** `ms`, `s`, `%`, `MB`; empty for a count. */
  readonly unit: string;
  /** Null for a figure that is only published. */
  readonly target: Target | null;
  /** The sample behind the value ("median of 10", "8 of 11, 95 % interval 43 to 90"). */
  readonly note?: string;
}

/** Whether the target is reached. Null if there is none. */
export function isMet({ value, target }: BenchRow): boolean | null {
  if (target === null) return null;
  if (value === null || Number.isNaN(value)) return false;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

/** Whether the benchmark must end with a failure. */
export function hasMissed(rows: readonly BenchRow[]): boolean {
  return rows.some((row) => isMet(row) === false);
}
