import { expect, it } from 'vitest';
import { addressBelow, baseAddress } from '../../../../src/main/lib/net/base-address.ts';
import { nothingThere } from '../../../../src/main/models/providers/api/next-step.ts';

// Catches: a call that goes to /v1//chat/completions, loses the parameters of its address, or repeats a pasted end.
it.each([
  ['http://h:1/v1', 'http://h:1/v1/models'],
  ['http://h:1/v1/', 'http://h:1/v1/models'],
  ['http://h:1/v1//', 'http://h:1/v1/models'],
  ['http://h:1//v1', 'http://h:1/v1/models'],
  ['http://h:1', 'http://h:1/models'],
  ['http://h:1/', 'http://h:1/models'],
  [' http://h:1/v1 ', 'http://h:1/v1/models'],
  ['http://h:1/v1?x=1', 'http://h:1/v1/models?x=1'],
  ['http://h:1/v1/?x=1&y=2', 'http://h:1/v1/models?x=1&y=2'],
  ['http://h:1/v1#top', 'http://h:1/v1/models'],
  ['http://h:1/v1/chat/completions', 'http://h:1/v1/models'],
  ['http://h:1/v1/chat/completions/?x=1', 'http://h:1/v1/models?x=1'],
  ['http://h:1/v1/models', 'http://h:1/v1/models'],
  ['http://[::1]:1/v1', 'http://[::1]:1/v1/models'],
])('an address joins %s and a path', (base, whole) => {
  expect(addressBelow(base, 'models')).toBe(whole);
});

it('an address keeps the path that it has already', () => {
  expect(addressBelow('http://h/searx/search?q=x', '/search')).toBe('http://h/searx/search?q=x');
});

it('an address has the parameters of both parts', () => {
  expect(addressBelow('https://h/v1beta?x=1', 'models/m:stream?alt=sse')).toBe(
    'https://h/v1beta/models/m:stream?alt=sse&x=1',
  );
  expect(baseAddress('https://h/v1?x=1')).toEqual({ base: 'https://h/v1', query: { x: '1' } });
});

it.each([
  ['http://h:1/chat/completions', 'below http://h:1/v1:'],
  ['http://h:1/v1/v1/chat/completions', 'below http://h:1/v1:'],
  ['http://h:1/v1/chat/completions', 'Check the base URL'],
  ['http://h:1/api/chat', 'Check the base URL'],
])('an error after a 404 at %s says what to try', (url, words) => {
  expect(nothingThere(url)).toContain(words);
});
