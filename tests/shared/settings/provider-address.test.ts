import { expect, it } from 'vitest';
import { openaiCompatibleSchema } from '../../../src/shared/settings/settings.ts';

const isTaken = (baseUrl: string): boolean =>
  openaiCompatibleSchema.safeParse({ kind: 'openai-compatible', baseUrl }).success;

// Catches: an address without http:// is kept, and each call says "unknown scheme".
it.each(['localhost:1234/v1', 'ftp://host/v1', 'file:///etc', 'javascript:alert(1)', '127.0.0.1:8080/v1', 'host/v1'])(
  'the address of a provider is refused: %s',
  (address) => {
    expect(isTaken(address)).toBe(false);
  },
);

it.each(['http://localhost:1234/v1', 'https://host/v1?x=1', 'HTTP://[::1]:8080'])(
  'the address of a provider is accepted: %s',
  (address) => {
    expect(isTaken(address)).toBe(true);
  },
);
