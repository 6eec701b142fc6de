import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CacheType, EngineProfile, GrantedMemoryPlan } from '@shared/models/memory-estimate.ts';
import { budgetBytes, planMemory } from '../../src/main/models/memory/memory-plan.ts';
import type { Card } from '../../src/main/models/memory/memory-plan.ts';
import type { ModelMemory } from '../../src/main/models/memory/estimate/model-memory.ts';
import type { BenchRow } from './rows.ts';
import { median } from './statistics.ts';

/** The file with the engine's answers. */
export const planDryRunsPath = 'bench/data/plan-dry-runs.json';

const planSchema = z.tuple([
  z.enum(['llama-server', 'node-llama-cpp']),
  z.enum(['f16', 'q8_0', 'q4_0']),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
/** A plan and the engine's answer to it. `columns` in the data names the positions. */
export type DryRunPlan = Readonly<z.infer<typeof planSchema>>;

export interface DryRunModel {
  readonly name: string;
  readonly plans: readonly DryRunPlan[];
}

const dataSchema = z.looseObject({ models: z.array(z.object({ name: z.string(), plans: z.array(planSchema) })) });
export type DryRunData = z.infer<typeof dataSchema>;

interface Judged {
  readonly plan: string;
  readonly isFull: boolean;
  /** The plan differs from the plan of the dry runs. */
  readonly isOther: boolean;
  readonly overCard: boolean;
  readonly overBudget: boolean;
  readonly isRefused: boolean;
  /** The chosen context as a share of the longest that fits. Null if none fits. */
  readonly share: number | null;
}

/** The case that a plan is for: an engine, a KV type, and one card that is completely free. */
export interface PlanCase {
  readonly engine: EngineProfile;
  readonly cacheType: CacheType;
  readonly gibi: number;
}

/** The conversation of the plans: a batch of 512, and nothing else on the card. */
export const planned = {
  flashAttention: true,
  ubatchTokens: 512,
  slots: 1,
  unified: false,
  draftTokens: 0,
} as const;

export function cardOf(gibi: number): Card {
  const bytes = gibi * 1024 ** 3;
  return { name: 'card', totalBytes: bytes, freeBytes: bytes, driverBytes: 0, isUnified: false };
}

export function planOf(memory: ModelMemory, { engine, cacheType, gibi }: PlanCase): GrantedMemoryPlan {
  return planMemory(memory, {
    ...planned,
    askedTokens: null,
    cacheType,
    engine,
    cards: [cardOf(gibi)],
    hostFreeBytes: null,
  });
}

export async function readPlanDryRuns(): Promise<DryRunData> {
  return dataSchema.parse(JSON.parse(await readFile(planDryRunsPath, 'utf8')));
}

/** Compares every plan for one card with the engine's kept answers. */
export async function planDryRunRows(memories: ReadonlyMap<string, ModelMemory>): Promise<readonly BenchRow[]> {
  const { models } = await readPlanDryRuns();
  const of = `${models.length} models x 7 cards x 3 KV types x 2 engines`;
  return [...verdictRows(models, memories, of), timeRow(models, memories)];
}

function timeRow(models: readonly DryRunModel[], memories: ReadonlyMap<string, ModelMemory>): BenchRow {
  const times = models.flatMap(({ name, plans }) =>
    plans.map(([engine, cacheType, gibi]) => {
      const make = () => planOf(memoryOf(name, memories), { engine, cacheType, gibi });
      // The fastest of three tries counts, because the machine may be busy.
      return Math.min(...[1, 2, 3].map(() => timed(make)));
    }),
  );
  return {
    figure: 'time of a plan, slowest',
    value: Math.max(...times),
    unit: 'ms',
    target: { atMost: 20 },
    note: `each the quickest of 3; median ${(median(times) ?? 0).toFixed(2)} ms of ${times.length}`,
  };
}

function memoryOf(name: string, memories: ReadonlyMap<string, ModelMemory>): ModelMemory {
  const memory = memories.get(name);
  if (memory === undefined) throw new Error(`${name} is not in the catalog`);
  return memory;
}

/**
 * Compares each plan with dry runs of the engine: at the chosen context and, unless that is the trained length, at all
 * longer contexts that could fit, in the engine's steps of 256.
 */
export function verdictRows(
  models: readonly DryRunModel[],
  memories: ReadonlyMap<string, ModelMemory>,
  of: string,
): readonly BenchRow[] {
  const judged = models.flatMap(({ name, plans }) => plans.map((plan) => judge(name, memoryOf(name, memories), plan)));
  const count = (test: (one: Judged) => boolean): number => judged.filter(test).length;
  const shares = judged.flatMap(({ share, plan }) => (share === null ? [] : [{ share, plan }]));
  const least = shares.reduce<(typeof shares)[number] | null>(
    (left, right) => (left !== null && left.share <= right.share ? left : right),
    null,
  );
  return [
    {
      figure: 'plans that are not those of the dry runs',
      value: count((one) => one.isOther),
      unit: '',
      target: { atMost: 0 },
      note: `${judged.length} plans: ${of}, ${count((one) => one.isFull)} of them full offload, each held against dry runs of the engine`,
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
      value: least === null ? null : least.share * 100,
      unit: '%',
      target: { atLeast: 97 },
      note: `${shares.length} plans, ${shares.filter(({ share }) => share < 1).length} of them under 100 %; least: ${least?.plan ?? 'none'}`,
    },
  ];
}

function judge(
  name: string,
  memory: ModelMemory,
  [engine, cacheType, gibi, tokens, bytes, longest]: DryRunPlan,
): Judged {
  const card = cardOf(gibi);
  const plan = planOf(memory, { engine, cacheType, gibi });
  const weights = memory.weights?.totalBytes ?? 0;
  const isFull = plan.placement === 'devices';
  return {
    plan: `${name} ${engine} ${cacheType} ${gibi} GiB`,
    isFull,
    isOther: (isFull ? plan.context : 0) !== tokens,
    overCard: tokens > 0 && weights + bytes > card.totalBytes,
    overBudget: tokens > 0 && weights + bytes > budgetBytes(card),
    isRefused: tokens === 0 && longest > 0,
    share: tokens > 0 && longest > 0 ? Math.min(1, tokens / longest) : null,
  };
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
