import { defineRule } from '../define.ts';

/**
 * A model that guesses its words is more often wrong. Uses the tenth of the tokens that it was least sure of instead of
 * the sum, which grows with the length. Without log probabilities there is no vote.
 */
export default defineRule({
  id: 'local-sureness',
  vote({ hasLocalSureness = 0, localTenthSure = 0 }, { weaker }) {
    if (hasLocalSureness === 0) return [];
    const percent = Math.round(localTenthSure * 100);
    if (localTenthSure < 0.35) {
      const reason = `${weaker} was unsure of its last words (${percent}% at the tenth).`;
      return [{ toward: 'cloud', weight: 0.8 * (1 - localTenthSure / 0.35), reason }];
    }
    if (localTenthSure < 0.8) return [];
    return [{ toward: 'local', weight: 0.3, reason: `${weaker} was sure of its last words (${percent}%).` }];
  },
});
