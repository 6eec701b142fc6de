import { expect, it } from 'vitest';
import { parsedUrl } from '../../../../src/main/lib/net/parsed-url.ts';

it('answers an address, and null for what is none', () => {
  expect([parsedUrl('http://localhost:11434')?.port, parsedUrl('http://a b'), parsedUrl('')]).toEqual([
    '11434',
    null,
    null,
  ]);
});
