import type { Vote } from '../define.ts';
import { defineRule } from '../define.ts';

/** A window that is nearly full, or had to be cleared, costs a small model more than a large one. */
export default defineRule({
  id: 'window',
  vote({ localWindowShare = 0, compactions = 0 }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (localWindowShare > 0.6) {
      votes.push({ toward: 'cloud', weight: 0.8, reason: 'The window of the local model is nearly full.' });
    }
    if (compactions > 0) votes.push({ toward: 'cloud', weight: 0.8, reason: 'What happened had to be summed up.' });
    return votes;
  },
});
