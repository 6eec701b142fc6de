import { describe, expect, it } from 'vitest';
import { runStatusSchema } from '../../../../src/shared/session/run-options.ts';
import { endingWidth, shortEnding } from '../../../../src/main/hosts/text/ending-words.ts';

describe('the short words for how a task ended', () => {
  // Bug: "cap" and "limit" in the list of sessions, which nobody could tell apart.
  it.each(runStatusSchema.options)('are plain and fit into their column: %s', (status) => {
    const words = shortEnding(status);
    expect(words.length).toBeLessThanOrEqual(endingWidth);
    expect(words).not.toMatch(/-|^(?:cap|limit|error|missing)$/u);
  });

  it('leave another word as it is', () => {
    expect(shortEnding('running')).toBe('running');
  });
});
