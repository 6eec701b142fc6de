import { expect, it } from 'vitest';
import { sha256Of } from '../../../src/main/lib/sha256.ts';

it('sha256 of a text is that of its UTF-8 bytes', () => {
  expect(sha256Of('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  expect(sha256Of(new TextEncoder().encode('é'))).toBe(sha256Of('é'));
});
