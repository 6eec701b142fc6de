import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { expect, it } from 'vitest';

it('knows an object from a list, from null and from a text', () => {
  expect([{}, [], null, 'a', undefined].map(isRecord)).toEqual([true, false, false, false, false]);
});

it('takes a field of what has one, and throws for nothing', () => {
  expect([{ a: 1 }, [], null, 'a', undefined].map((value) => fieldOf(value, 'a'))).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
