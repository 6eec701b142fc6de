import { describe, expect, it } from 'vitest';
import { sizeText } from '../../scripts/setup/say.mjs';
import { sizeText as sizeTextOfApp } from '../../src/shared/text/size-text.ts';

describe('a size in the output of the set-up', () => {
  // Catches: a change of only one of the two functions, so that the set-up shows another download size than the app.
  it.each([0, 812, 999.5, 1_000, 999_949, 999_950, 411_600_000, 999_499_999, 999_500_000, 24 * 2 ** 30])(
    'reads the same as in the app: %d bytes',
    (bytes) => {
      expect(sizeText(bytes)).toBe(sizeTextOfApp(bytes));
    },
  );
});
