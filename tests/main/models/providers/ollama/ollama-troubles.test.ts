import { expect, it } from 'vitest';
import { meetTrouble, ollamaTroubles } from '../../../../fakes/ollama-troubles.ts';

it.each(ollamaTroubles)('catches and names a server that $name', async (trouble) => {
  expect(await meetTrouble(trouble)).toBeNull();
});
