import { expect, it } from 'vitest';
import { meetTrouble, ollamaTroubles } from '../../../../fakes/ollama-troubles.ts';

it.each(ollamaTroubles)('a troubled server of Ollama is named: $name', async (trouble) => {
  expect(await meetTrouble(trouble)).toBeNull();
});
