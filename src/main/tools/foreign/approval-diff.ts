import { createTwoFilesPatch } from 'diff';

/** The time grows with the square of this. Texts of 128 KB without a common line blocked the program for a minute. */
const mostEdits = 2_000;

/** What changed since the user approved it. Null: nearly everything, so that the whole text is easier to read. */
export function approvalDiff(before: string, now: string): string | null {
  const patch = createTwoFilesPatch('approved', 'now', before, now, undefined, undefined, { maxEditLength: mostEdits });
  // The lines before the first hunk name files, and there are none here.
  return patch === undefined ? null : patch.slice(Math.max(0, patch.indexOf('\n@@') + 1));
}
