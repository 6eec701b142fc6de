import { defineRule } from '../define.ts';

/** Larger models make new things well enough; of smaller ones our own runs have none that was right (docs/decisions). */
const SMALL_B = 9;

/** Something new that no failing test describes: a small model's change is believed there, and is wrong. */
export default defineRule({
  id: 'new-work',
  vote({ taskMakesNew = 0, localParametersB = 0, testsRed = 0 }) {
    const isSmall = localParametersB > 0 && localParametersB <= SMALL_B;
    if (taskMakesNew === 0 || !isSmall || testsRed === 1) return [];
    return [{ toward: 'cloud', weight: 2.5, reason: 'The task asks for something new, and no test judges it.' }];
  },
});
