import { describe, expect, it } from 'vitest';
import { textsBetween } from '../../../src/main/lib/text-between.ts';

const insides = (text: string): readonly string[] =>
  [...textsBetween(text, /<a=(\w+)>/gu, '</a>')].map(({ opening, inside }) => `${opening[1]}: ${inside}`);

describe('what stands between an opening and its closing', () => {
  it('is found as a lazy pattern would: up to the first closing, one after another', () => {
    const text = 'x <a=1>one</a> y <a=2>two <a=3> three</a> </a> <a=4>';
    const lazy = [...text.matchAll(/<a=(\w+)>([\s\S]*?)<\/a>/gu)].map(([, name, inside]) => `${name}: ${inside}`);
    expect(insides(text)).toEqual(['1: one', '2: two <a=3> three']);
    expect(insides(text)).toEqual(lazy);
  });

  it('is nothing where nothing is closed', () => {
    expect(insides('<a=1>one <a=2>')).toEqual([]);
  });
});
