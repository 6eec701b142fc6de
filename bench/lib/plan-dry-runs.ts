import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { budgetBytes, planMemory } from '../../src/main/engines/memory-plan.ts';
import type { ModelMemory } from '../../src/main/engines/model-memory.ts';
import type { BenchRow } from './rows.ts';
import { median } from './statistics.ts';

const planSchema = z.tuple([
  z.enum(['llama-server', 'node-llama-cpp']),
  z.enum(['f16', 'q8_0', 'q4_0']),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
const dataSchema = z.object({ models: z.array(z.object({ name: z.string(), plans: z.array(planSchema) })) });

interface Judged {
  readonly plan: string;
  readonly isFull: boolean;
  /** It is not the plan that the dry runs are of. */
  readonly isOther: boolean;
  readonly overCard: boolean;
  readonly overBudget: boolean;
  readonly isRefused: boolean;
  /** Chosen of the longest that fits; null where none does. */
  readonly share: number | null;
  readonly ms: number;
}

/**
 * Every plan for one card against dry runs of the engine: at the very context that was chosen, and, where that is not
 * the trained length, at all longer ones that could fit, in the engine's steps of 256.
 */
export async function planDryRunRows(memories: ReadonlyMap<string, ModelMemory>): Promise<readonly BenchRow[]> {
  const { models } = dataSchema.parse(JSON.parse(await readFile('bench/data/plan-dry-runs.json', 'utf8')));
  const judged = models.flatMap(({ name, plans }) => {
    const memory = memories.get(name);
    if (memory === undefined) throw new Error(`${name} is not in the catalogue`);
    return plans.map((plan) => judge(name, memory, plan));
  });
  const count = (test: (one: Judged) => boolean): number => judged.filter(test).length;
  const shares = judged.flatMap(({ share, plan }) => (share === null ? [] : [{ share, plan }]));
  const least = shares.reduce((left, right) => (right.share < left.share ? right : left));
  const times = judged.map(({ ms }) => ms);
  return [
    {
      figure: 'plans that are not those of the dry runs',
      value: count((one) => one.isOther),
      unit: '',
      target: { atMost: 0 },
      note: `${judged.length} plans: ${models.length} models x 7 cards x 3 KV types x 2 engines, ${count((one) => one.isFull)} of them full offload, each held against dry runs of the engine`,
    },
    { figure: 'plans over the card', value: count((one) => one.overCard), unit: '', target: { atMost: 0 } },
    { figure: 'needless refusals', value: count((one) => one.isRefused), unit: '', target: { atMost: 0 } },
    {
      figure: 'plans into the margin',
      value: count((one) => one.overBudget),
      unit: '',
      target: null,
      note: 'by the estimate of the compute buffer',
    },
    {
      figure: 'chosen context of the largest that fits, least',
      value: least.share * 100,
      unit: '%',
      target: { atLeast: 97 },
      note: `${shares.length} plans, ${shares.filter(({ share }) => share < 1).length} of them under 100 %; least: ${least.plan}`,
    },
    {
      figure: 'time of a plan, slowest',
      value: Math.max(...times),
      unit: 'ms',
      target: { atMost: 20 },
      note: `each the quickest of 3; median ${(median(times) ?? 0).toFixed(2)} ms of ${times.length}`,
    },
  ];
}

function judge(
  name: string,
  memory: ModelMemory,
  [engine, cacheType, gibi, tokens, bytes, longest]: z.infer<typeof planSchema>,
): Judged {
  const cardBytes = gibi * 1024 ** 3;
  const card = { name: 'card', totalBytes: cardBytes, freeBytes: cardBytes, driverBytes: 0, isUnified: false };
  const make = () =>
    planMemory(memory, {
      askedTokens: null,
      cacheType,
      flashAttention: true,
      ubatchTokens: 512,
      slots: 1,
      unified: false,
      draftTokens: 0,
      engine,
      cards: [card],
      hostFreeBytes: null,
    });
  const plan = make();
  const weights = memory.weights?.totalBytes ?? 0;
  const isFull = plan.placement === 'devices';
  return {
    plan: `${name} ${engine} ${cacheType} ${gibi} GiB`,
    isFull,
    isOther: (isFull ? plan.context : 0) !== tokens,
    overCard: tokens > 0 && weights + bytes > cardBytes,
    overBudget: tokens > 0 && weights + bytes > budgetBytes(card),
    isRefused: tokens === 0 && longest > 0,
    share: tokens > 0 && longest > 0 ? Math.min(1, tokens / longest) : null,
    // The machine may be busy with something else: of three the quickest.
    ms: Math.min(...[1, 2, 3].map(() => timed(make))),
  };
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
