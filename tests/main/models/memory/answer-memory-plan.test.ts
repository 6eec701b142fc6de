import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseCatalog } from '../../../../src/main/models/files/model-catalog.ts';
import { answerMemoryPlan } from '../../../../src/main/models/memory/answer-memory-plan.ts';

const gib = 1024 ** 3;
const entry = parseCatalog(JSON.parse(readFileSync('resources/models.json', 'utf8'))).known.find(
  ({ name }) => name === 'qwen3-4b-2507',
);

function usual(contextTokens: number | null, slots = 1): readonly (number | null)[] {
  if (entry === undefined) throw new Error('no model');
  const reply = answerMemoryPlan({
    model: null,
    facts: {
      keys: entry.keys,
      vocabulary: null,
      weights: { totalBytes: entry.weights?.bytes ?? 0, inputBytes: null, isTied: null, layers: null },
    },
    contextTokens,
    cacheType: null,
    flashAttention: true,
    ubatchTokens: 512,
    slots,
    unified: false,
    engine: 'node-llama-cpp',
    hardware: { devices: [], host: { totalBytes: 32 * gib, freeBytes: 24 * gib, source: 'test' } },
    measuredBytes: null,
  });
  if (!reply.ok) throw new Error(reply.error.message);
  return [reply.value.granted.context, reply.value.usual];
}

// Bug: the plan said what fits, but a call without a context size in the settings got a quarter of it.
it('the answer of a memory plan says what a call gets only if that is less than fits', () => {
  const [fits, call] = usual(null);
  expect(fits).toBeGreaterThan(8192);
  expect(call).toBe(8192);
  expect(usual(16_384)).toEqual([16_384, null]);
  expect(usual(8192)).toEqual([8192, null]);
});
