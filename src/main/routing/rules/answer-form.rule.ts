import { defineRule } from '../define.ts';

/** Answers that cannot be used are the cheapest sign that a model is out of its depth. */
export default defineRule({
  id: 'answer-form',
  vote({ formatFailures = 0 }) {
    if (formatFailures === 0) return [];
    const weight = Math.min(2, 0.7 * formatFailures);
    return [{ toward: 'cloud', weight, reason: `${formatFailures} answers were unusable.` }];
  },
});
