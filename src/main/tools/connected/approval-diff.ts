import { diffHunks } from '../../lib/unified-diff.ts';

/** The time grows with the square of this. Texts of 128 KB without a common line blocked the program for a minute. */
const mostEdits = 2_000;

/** What changed since the user approved it. Null: nearly everything, so that the whole text is easier to read. */
export function approvalDiff(before: string, now: string): string | null {
  return diffHunks(before, now, { context: 4, maxEditLength: mostEdits });
}
