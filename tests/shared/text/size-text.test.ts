import { sizeText } from '@shared/text/size-text.ts';
import { expect, it } from 'vitest';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [1_536, '1.5 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [411_600_000, '412 MB'],
  [999_499_999, '999 MB'],
  [999_500_000, '1.0 GB'],
  [1_117_320_768, '1.1 GB'],
  [24 * 2 ** 30, '25.8 GB'],
])('the text for a size of %d bytes is %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
