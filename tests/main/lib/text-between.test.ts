import { describe, expect, it } from 'vitest';
import { textsBetween } from '../../../src/main/lib/text-between.ts';

const insides = (text: string): readonly string[] =>
  [...textsBetween(text, /<a=(\w+)>/gu, '</a>')].map(({ opening, inside }) => `${opening[1]}: ${inside}`);

describe('a text between an opening and a closing mark', () => {
  it('is found as by a lazy pattern, up to the first closing mark', () => {
    const text = 'x <a=1>one</a> y <a=2>two <a=3> three</a> </a> <a=4>';
    const lazy = [...text.matchAll(/<a=(\w+)>([\s\S]*?)<\/a>/gu)].map(([, name, inside]) => `${name}: ${inside}`);
    expect(insides(text)).toEqual(['1: one', '2: two <a=3> three']);
    expect(insides(text)).toEqual(lazy);
  });

  it('is not found without a closing mark', () => {
    expect(insides('<a=1>one <a=2>')).toEqual([]);
  });
});
