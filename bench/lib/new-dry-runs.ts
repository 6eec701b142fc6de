import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { contextTerms } from '../../src/main/models/memory/estimate/context-memory.ts';
import type { ContextRequest } from '../../src/main/models/memory/estimate/context-memory.ts';
import { budgetBytes, leastTokens } from '../../src/main/models/memory/memory-plan.ts';
import type { ModelCatalog } from '../../src/main/models/files/model-catalog.ts';
import { engineContext } from '../../src/main/models/memory/estimate/model-memory.ts';
import type { ModelMemory } from '../../src/main/models/memory/estimate/model-memory.ts';
import type { EngineDryRuns } from './engine-dry-runs.ts';
import { startEngineDryRuns } from './engine-dry-runs.ts';
import { writeMadeHeader } from './made-header.ts';
import { cardOf, planDryRunsPath, planned, planOf, readPlanDryRuns, verdictRows } from './plan-dry-runs.ts';
import type { DryRunModel, DryRunPlan, PlanCase } from './plan-dry-runs.ts';
import type { BenchRow } from './rows.ts';
import { seeded } from './seeded.ts';

type Known = ModelCatalog['known'][number];

interface NewDryRuns {
  readonly known: readonly Known[];
  readonly memories: ReadonlyMap<string, ModelMemory>;
  /** How many models of the catalog to draw, by the seed. */
  readonly count: number;
  readonly seed: number;
  /** Replaces the kept answers with what the engine says now. */
  readonly keep: boolean;
}

/** Compares plans with new dry runs. If this machine cannot make any, returns one row that says why. */
export async function newDryRunRows({ known, memories, count, seed, keep }: NewDryRuns): Promise<readonly BenchRow[]> {
  const figure = 'plans whose new dry runs say other than what is kept';
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-made-headers-'));
  let engine: EngineDryRuns | null = null;
  try {
    engine = await startEngineDryRuns();
    const models: DryRunModel[] = [];
    for (const model of drawn(known, count, seed)) {
      const memory = memories.get(model.name);
      if (memory === undefined) throw new Error(`${model.name} has no memory`);
      await writeMadeHeader(model, join(folder, 'header.gguf'), engine);
      models.push({ name: model.name, plans: await askedPlans(memory, engine) });
    }
    const others = await otherThanKept(models);
    if (keep) await keepDryRuns(models);
    const plans = models.reduce((sum, model) => sum + model.plans.length, 0);
    const names = models.map(({ name }) => name).join(', ');
    const rows = verdictRows(models, memories, `new dry runs of ${models.length} models, seed ${seed}`);
    return [
      { figure, value: others, unit: '', target: { atMost: 0 }, note: `${plans} plans of ${names}` },
      ...rows.map((row) => ({ ...row, figure: `${row.figure} (new dry runs)` })),
    ];
  } catch (error) {
    return [{ figure, value: null, unit: '', target: { atMost: 0 }, note: messageOf(error).split('\n')[0] ?? '' }];
  } finally {
    await engine?.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The drawn models, in the order of the catalog. */
function drawn(known: readonly Known[], count: number, seed: number): readonly Known[] {
  const random = seeded(seed);
  const places = known.map((model) => ({ model, place: random() })).sort((left, right) => left.place - right.place);
  const taken = new Set(places.slice(0, count).map(({ model }) => model));
  return known.filter((model) => taken.has(model));
}

async function askedPlans(memory: ModelMemory, engine: EngineDryRuns): Promise<readonly DryRunPlan[]> {
  const kept = new Map<string, number | null>();
  const plans: DryRunPlan[] = [];
  for (const profile of ['llama-server', 'node-llama-cpp'] as const)
    for (const cacheType of ['f16', 'q8_0', 'q4_0'] as const) {
      for (const gibi of [8, 12, 16, 24, 32, 48, 80]) {
        plans.push(
          await askedPlan(memory, { engine: profile, cacheType, gibi }, async (context) => {
            // Cards of several sizes need the same contexts.
            const key = `${profile} ${cacheType} ${context.contextTokens}`;
            const known = kept.get(key);
            if (known !== undefined) return known;
            const bytes = await engine.bytes({
              cacheType,
              tokens: context.contextTokens,
              ubatchTokens: context.ubatchTokens,
              outputs: outputsOf(profile, context),
            });
            kept.set(key, bytes);
            return bytes;
          }),
        );
      }
    }
  return plans;
}

function outputsOf(engine: PlanCase['engine'], { ubatchTokens }: ContextRequest): number {
  return engine === 'llama-server' ? 1 : ubatchTokens;
}

type Bytes = (context: ContextRequest) => Promise<number | null>;

/**
 * The plan, the bytes of its context, and the longest context that fits, searched downwards from the longest possible
 * one.
 */
async function askedPlan(memory: ModelMemory, plan: PlanCase, bytes: Bytes): Promise<DryRunPlan> {
  const { engine, cacheType, gibi } = plan;
  const granted = planOf(memory, plan);
  const chosen = granted.placement === 'devices' ? granted.context : 0;
  const made = (contextTokens: number): ContextRequest =>
    engineContext(memory, engine, { ...planned, contextTokens, cacheType });
  const room = budgetBytes(cardOf(gibi)) - (memory.weights?.totalBytes ?? 0);
  const fits = async (tokens: number): Promise<boolean> => {
    const taken = await bytes(made(tokens));
    return taken !== null && taken <= room;
  };
  const trained = memory.trainedTokens ?? granted.context;
  let longest = 0;
  for (let step = Math.ceil(trained / cellStep); longest === 0 && step > 0; step -= 1) {
    const tokens = Math.min(step * cellStep, trained);
    if (tokens < Math.min(leastTokens, trained)) break;
    const context = made(tokens);
    if (leastBytes(memory, engine, context) <= room && (await fits(tokens))) longest = tokens;
  }
  return [engine, cacheType, gibi, chosen, chosen > 0 ? ((await bytes(made(chosen))) ?? 0) : 0, longest];
}

/** The engine rounds a context up to a multiple of this. */
const cellStep = 256;

/**
 * A lower bound: the cells, and those parts of the compute buffer that no order of steps saves, the mask and the
 * logits. It spares dry runs.
 */
function leastBytes(memory: ModelMemory, engine: PlanCase['engine'], context: ContextRequest): number {
  const cells = contextTerms(memory.context, context).reduce((sum, term) => sum + term.bytes, 0);
  const mask = 2 * context.ubatchTokens * context.contextTokens;
  return cells + Math.max(mask, 4 * outputsOf(engine, context) * memory.compute.vocabulary);
}

async function otherThanKept(models: readonly DryRunModel[]): Promise<number> {
  const kept = new Map((await readPlanDryRuns()).models.map(({ name, plans }) => [name, plans.map(String)]));
  return models
    .map(({ name, plans }) => plans.filter((plan) => kept.get(name)?.includes(String(plan)) !== true).length)
    .reduce((sum, count) => sum + count, 0);
}

/** Keeps the earlier answers of models that were not asked now. Writes one line a model, so that a diff is readable. */
async function keepDryRuns(models: readonly DryRunModel[]): Promise<void> {
  const { models: before, ...head } = await readPlanDryRuns();
  const asked = new Map(models.map((model) => [model.name, model]));
  const all = [...before.filter(({ name }) => !asked.has(name)), ...models];
  const lines = all.map((model) => `    ${JSON.stringify(model)}`).join(',\n');
  await writeFile(planDryRunsPath, `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "models": [\n${lines}\n  ]\n}\n`);
}
