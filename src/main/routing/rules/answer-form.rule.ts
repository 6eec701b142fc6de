import { defineRule } from '../define.ts';

/** Unusable answers are the cheapest sign that a task is too hard for a model. */
export default defineRule({
  id: 'answer-form',
  vote({ formatFailures = 0 }) {
    if (formatFailures === 0) return [];
    const weight = Math.min(2, 0.7 * formatFailures);
    return [{ toward: 'cloud', weight, reason: `${formatFailures} answers were unusable.` }];
  },
});
