import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { expect, it } from 'vitest';

it('an unknown value counts as an object only if it is no list, null or text', () => {
  expect([{}, [], null, 'a', undefined].map(isRecord)).toEqual([true, false, false, false, false]);
});

it('the field of an unknown value is read from objects only, and never throws', () => {
  expect([{ a: 1 }, [], null, 'a', undefined].map((value) => fieldOf(value, 'a'))).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
