import { expect, it } from 'vitest';
import { durationText } from '../../../src/shared/text/duration-text.ts';

it.each([
  [900, '0.9 s'],
  [9_949, '9.9 s'],
  [14_200, '14 s'],
  [59_600, '1 min'],
  [185_000, '3 min 05 s'],
  [3_599_400, '59 min 59 s'],
  [3_600_000, '1 h'],
  [10_489_000, '2 h 55 min'],
  [86_390_000, '1 d'],
  [100_800_000, '1 d 4 h'],
])('the text for a duration of %i ms is %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
