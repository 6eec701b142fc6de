import { defineRule } from '../define.ts';

/** Small models are good at reading, searching and summarizing. A first plan gains most from a stronger model. */
export default defineRule({
  id: 'step-kind',
  vote(features) {
    if (features.isRote === 1) return [{ toward: 'local', weight: 3, reason: 'Small models summarize well.' }];
    if (features.isReading === 1) return [{ toward: 'local', weight: 1.5, reason: 'Small models search well.' }];
    if (features.isPlanning === 1)
      return [{ toward: 'cloud', weight: 0.8, reason: 'A plan gains from a stronger model.' }];
    return [];
  },
});
