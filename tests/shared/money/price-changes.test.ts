import { expect, it } from 'vitest';
import { knownProviders } from '../../../src/shared/models/known-providers.ts';
import { batchUsd } from '../../../src/shared/money/price-changes.ts';

/** Catches: half a price for a service that has no such rate, and a rate for an unknown price. */
it('The batch rate of a service is known for those whose documents name one', () => {
  const named = Object.keys(knownProviders).filter((id) => batchUsd(id, 4) === 2);
  expect(named).toEqual(['openai', 'anthropic', 'gemini', 'groq', 'mistral', 'fireworks']);
  expect(batchUsd('my-own-server', 4)).toBeNull();
  expect(batchUsd('openai', null)).toBeNull();
});
