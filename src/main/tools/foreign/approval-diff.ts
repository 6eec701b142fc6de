import { createTwoFilesPatch } from 'diff';

/** Comparing takes the square of these: texts of 128 KB without a line in common held this program up for a minute. */
const mostEdits = 2_000;

/** What is different since a person said yes, for them to look at. Null: nearly all is, and the whole text says more. */
export function approvalDiff(before: string, now: string): string | null {
  const patch = createTwoFilesPatch('approved', 'now', before, now, undefined, undefined, { maxEditLength: mostEdits });
  // The lines before it name files, and there are none.
  return patch === undefined ? null : patch.slice(Math.max(0, patch.indexOf('\n@@') + 1));
}
