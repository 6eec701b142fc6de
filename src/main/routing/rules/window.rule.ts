import type { Vote } from '../define.ts';
import { defineRule } from '../define.ts';

/** A context that is nearly full, or had to be summarized, harms a small model more than a large one. */
export default defineRule({
  id: 'window',
  vote({ localWindowShare = 0, compactions = 0 }, { weaker }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (localWindowShare > 0.6) {
      votes.push({ toward: 'cloud', weight: 0.8, reason: `The context of ${weaker} is nearly full.` });
    }
    if (compactions > 0) votes.push({ toward: 'cloud', weight: 0.8, reason: 'The conversation had to be summarized.' });
    return votes;
  },
});
