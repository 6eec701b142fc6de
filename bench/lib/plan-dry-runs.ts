import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { budgetBytes, planMemory } from '../../src/main/engines/memory-plan.ts';
import type { ModelMemory } from '../../src/main/engines/model-memory.ts';
import type { BenchRow } from './rows.ts';

const planSchema = z.tuple([
  z.enum(['f16', 'q8_0', 'q4_0']),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
const dataSchema = z.object({ models: z.array(z.object({ name: z.string(), plans: z.array(planSchema) })) });

type Verdict = 'right' | 'over-card' | 'over-budget' | 'short' | 'refused' | 'other-plan';

/**
 * Plans for one card against dry runs of the engine at the very context that was chosen, and at the one that would be 3 %
 * longer. A plan that has changed since is not judged, and said.
 */
export async function planDryRunRows(memories: ReadonlyMap<string, ModelMemory>): Promise<readonly BenchRow[]> {
  const { models } = dataSchema.parse(JSON.parse(await readFile('bench/data/plan-dry-runs.json', 'utf8')));
  const verdicts = models.flatMap(({ name, plans }) => {
    const memory = memories.get(name);
    if (memory === undefined) throw new Error(`${name} is not in the catalogue`);
    return plans.map((plan) => judge(memory, plan));
  });
  const count = (verdict: Verdict): number => verdicts.filter((one) => one === verdict).length;
  return [
    {
      figure: 'plans checked by dry runs at their own context: over the card, or refused though it fits',
      value: count('over-card') + count('refused'),
      unit: '',
      target: { atMost: 0 },
      note: `${verdicts.length - count('other-plan')} of ${verdicts.length} plans of ${models.length} models; ${count('over-budget')} into the margin, ${count('other-plan')} changed since the dry runs`,
    },
    {
      figure: 'of these, plans that a context 3 % longer would fit, too',
      value: count('short'),
      unit: '',
      target: { atMost: 0 },
    },
  ];
}

function judge(
  memory: ModelMemory,
  [cacheType, gibi, tokens, bytes, furtherTokens, furtherBytes]: z.infer<typeof planSchema>,
): Verdict {
  const cardBytes = gibi * 1024 ** 3;
  const card = { name: 'card', totalBytes: cardBytes, freeBytes: cardBytes, driverBytes: 0, isUnified: false };
  const plan = planMemory(memory, {
    askedTokens: null,
    cacheType,
    flashAttention: true,
    ubatchTokens: 512,
    slots: 1,
    unified: false,
    draftTokens: 0,
    engine: 'node-llama-cpp',
    cards: [card],
    hostFreeBytes: null,
  });
  const weights = memory.weights?.totalBytes ?? 0;
  const budget = budgetBytes(card);
  if ((plan.placement === 'devices' ? plan.context : 0) !== tokens) return 'other-plan';
  const furtherFits = furtherTokens > tokens && weights + furtherBytes <= budget;
  if (tokens === 0) return furtherFits ? 'refused' : 'right';
  if (weights + bytes > cardBytes) return 'over-card';
  if (furtherFits) return 'short';
  return weights + bytes > budget ? 'over-budget' : 'right';
}
