import type { Vote } from '../define.ts';
import { defineRule } from '../define.ts';

/** Tests are the best evidence. */
export default defineRule({
  id: 'verification',
  vote({ testsGreen = 0, testsGreenBefore = 0, testsRed = 0, failedChecks = 0, rejectedEdits = 0, writes = 0 }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    // Tests that passed before the work say nothing about it.
    if (testsGreen === 1 && testsGreenBefore === 0 && writes > 0)
      votes.push({ toward: 'local', weight: 1.5, reason: 'The tests pass.' });
    if (testsRed === 1 && writes > 1) {
      votes.push({ toward: 'cloud', weight: 0.7, reason: `The tests still fail after ${writes} edits.` });
    }
    if (failedChecks > 0) {
      votes.push({
        toward: 'cloud',
        weight: Math.min(2, failedChecks),
        reason: 'The model said it was done, but it was not.',
      });
    }
    if (rejectedEdits > 0) {
      votes.push({ toward: 'cloud', weight: Math.min(1.2, 0.4 * rejectedEdits), reason: 'Some edits failed.' });
    }
    return votes;
  },
});
