import { defineRule } from '../define.ts';

/** Larger models make new things well enough. For smaller ones, none of our own runs was correct (docs/decisions). */
const SMALL_B = 9;

/**
 * Votes for the cloud for something new that no failing test describes. A small model's change is wrong there, but
 * would be believed.
 */
export default defineRule({
  id: 'new-work',
  vote({ taskMakesNew = 0, localParametersB = 0, testsRed = 0 }) {
    const isSmall = localParametersB > 0 && localParametersB <= SMALL_B;
    if (taskMakesNew === 0 || !isSmall || testsRed === 1) return [];
    return [{ toward: 'cloud', weight: 2.5, reason: 'The task asks for something new, and no test judges it.' }];
  },
});
