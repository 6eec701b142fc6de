import type { Vote } from '../define.ts';
import { defineRule } from '../define.ts';

/** The last steps say far more than the prompt. */
export default defineRule({
  id: 'trajectory',
  vote({ severity = 0, sameErrors = 0, repeatedCalls = 0, stepsWithoutWrite = 0, writes = 0, steps = 0 }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (severity >= 0.3) {
      votes.push({ toward: 'cloud', weight: Math.min(2, severity), reason: 'Some of the last steps went wrong.' });
    } else if (steps >= 3) votes.push({ toward: 'local', weight: 0.6, reason: 'The last steps went well.' });
    if (sameErrors > 0) {
      votes.push({ toward: 'cloud', weight: Math.min(1.5, 0.8 * sameErrors), reason: 'The same failure came again.' });
    }
    if (repeatedCalls > 0) {
      votes.push({ toward: 'cloud', weight: Math.min(1.5, 0.5 * repeatedCalls), reason: 'Some calls were repeated.' });
    }
    if (writes === 0 && stepsWithoutWrite >= 8) {
      votes.push({ toward: 'cloud', weight: 0.8, reason: `${stepsWithoutWrite} steps passed without an edit.` });
    }
    return votes;
  },
});
