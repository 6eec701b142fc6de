import { createTwoFilesPatch } from 'diff';

/** What is different since a person said yes, for them to look at. */
export function approvalDiff(before: string, now: string): string {
  const patch = createTwoFilesPatch('approved', 'now', before, now);
  // The lines before it name files, and there are none.
  return patch.slice(Math.max(0, patch.indexOf('\n@@') + 1));
}
