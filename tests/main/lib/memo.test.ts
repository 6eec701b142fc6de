import { expect, it } from 'vitest';
import { memo } from '../../../src/main/lib/memo.ts';

it('memo computes once for each object, not for an equal one', () => {
  const made: object[] = [];
  const nameOf = memo((key: { readonly name: string }) => {
    made.push(key);
    return key.name;
  });
  const first = { name: 'a' };
  const second = { name: 'a' };
  expect([nameOf(first), nameOf(second), nameOf(first)]).toEqual(['a', 'a', 'a']);
  expect(made).toEqual([first, second]);
});
