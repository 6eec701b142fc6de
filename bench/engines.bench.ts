import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { EngineProfile } from '@shared/models/memory-estimate.ts';
import { contextTerms } from '../src/main/models/memory/estimate/context-memory.ts';
import type { ContextRequest } from '../src/main/models/memory/estimate/context-memory.ts';
import { readGguf } from '../src/main/models/memory/gguf/read-gguf.ts';
import { parseCatalog } from '../src/main/models/files/model-catalog.ts';
import type { ModelCatalog } from '../src/main/models/files/model-catalog.ts';
import { estimateMemory, readModelMemory } from '../src/main/models/memory/estimate/model-memory.ts';
import type { ModelMemory } from '../src/main/models/memory/estimate/model-memory.ts';
import { placementRows } from './lib/card/server-placements.ts';
import { engineSizeRow } from './lib/engine-size.ts';
import { expectedSpeedRows } from './lib/expected-speeds.ts';
import { headerWithVocabulary } from './lib/header-file.ts';
import { newDryRunRows } from './lib/new-dry-runs.ts';
import { parsePartOptions } from './lib/part-options.ts';
import { planDryRunRows } from './lib/plan-dry-runs.ts';
import { realLoadRows } from './lib/real-loads.ts';
import type { BenchRow } from './lib/rows.ts';
import { sessionReuseRows } from './lib/session-reuse.ts';
import { median } from './lib/statistics.ts';

const rowSchema = z.tuple([
  z.enum(['f16', 'q8_0', 'q4_0']),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
const slotSchema = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]);
const dataSchema = z.object({
  models: z.array(z.object({ name: z.string(), dryRuns: z.array(rowSchema), slots: z.array(slotSchema) })),
});

const estimateRowSchema = z.tuple([z.enum(['f16', 'q8_0', 'q4_0']), z.number(), z.number(), z.number(), z.number()]);
const estimatesSchema = z.object({ models: z.array(z.object({ name: z.string(), rows: z.array(estimateRowSchema) })) });

/** One allocation of the engine, and the question that it answers. */
interface Allocation {
  readonly name: string;
  readonly memory: ModelMemory;
  readonly engine: EngineProfile;
  readonly context: ContextRequest;
  readonly contextBytes: number;
  readonly computeBytes: number;
}

interface Planner {
  readonly known: ModelCatalog['known'];
  readonly memories: ReadonlyMap<string, ModelMemory>;
  readonly models: number;
  readonly seed: number;
  readonly keep: boolean;
}

const parts = {
  allocations: ({ memories }) => allocationRows(memories),
  plans: ({ memories }) => planDryRunRows(memories),
  dry: ({ models, ...planner }) => newDryRunRows({ ...planner, count: models }),
  header: async () => [await headerRow()],
  size: async () => [await engineSizeRow()],
  loads: () => realLoadRows(),
  placements: () => placementRows(),
  reuse: () => sessionReuseRows(),
  speed: () => expectedSpeedRows(),
} as const satisfies Readonly<Record<string, (planner: Planner) => Promise<readonly BenchRow[]>>>;

/**
 * Measures local engines: the memory planner against what the engine itself allocates, real loads, fake servers,
 * expected speeds and drafts. Allocations are recorded; `--models N` models drawn by `--seed N` are asked again, and
 * `--keep yes` records their new answers. `--only PART,…`
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, { models: '6', seed: '1', keep: 'no' });
  const { known } = parseCatalog(JSON.parse(await readFile('resources/models.json', 'utf8')));
  const memories = memoriesOf(known);
  const planner = {
    known,
    memories,
    models: Number(values.models),
    seed: Number(values.seed),
    keep: values.keep === 'yes',
  };
  const rows: BenchRow[] = [];
  for (const part of only) rows.push(...(await parts[part](planner)));
  return rows;
}

function memoriesOf(known: ModelCatalog['known']): ReadonlyMap<string, ModelMemory> {
  const memories = new Map<string, ModelMemory>();
  for (const { name, keys, tiedEmbeddings, weights } of known) {
    const read = readModelMemory({
      keys,
      vocabulary: null,
      weights:
        weights === null ? null : { totalBytes: weights.bytes, inputBytes: null, isTied: tiedEmbeddings, layers: null },
    });
    if (!read.known) throw new Error(`${name}: ${read.why}`);
    memories.set(name, read.memory);
  }
  return memories;
}

async function allocationRows(memories: ReadonlyMap<string, ModelMemory>): Promise<readonly BenchRow[]> {
  const data = dataSchema.parse(JSON.parse(await readFile('bench/data/engine-allocations.json', 'utf8')));
  const estimates = estimatesSchema.parse(JSON.parse(await readFile('bench/data/engine-estimates.json', 'utf8')));
  const allocations = data.models.flatMap((model) => allocationsOf(model, memories));
  return [contextError(allocations), ...totalErrors(allocations), otherModels(estimates, memories)];
}

function allocationsOf(
  { name, dryRuns, slots }: z.infer<typeof dataSchema>['models'][number],
  memories: ReadonlyMap<string, ModelMemory>,
): readonly Allocation[] {
  const memory = memories.get(name);
  if (memory === undefined) throw new Error(`${name} is not in the catalog`);
  const base = { flashAttention: true, ubatchTokens: 512, draftTokens: 0, slots: 1, unified: false } as const;
  return [
    ...dryRuns.map(
      ([cacheType, flash, contextTokens, ubatchTokens, outputs, contextBytes, computeBytes]): Allocation => ({
        name,
        memory,
        engine: outputs === 1 ? 'llama-server' : 'node-llama-cpp',
        context: {
          ...base,
          contextTokens,
          cacheType,
          flashAttention: flash === 1,
          // These figures come from the engine's library; node-llama-cpp would ask it for one token more.
          ubatchTokens: outputs !== 1 && memory.namesWindow ? ubatchTokens - 1 : ubatchTokens,
        },
        contextBytes,
        computeBytes,
      }),
    ),
    ...slots.map(([count, unified, contextTokens, contextBytes, computeBytes]): Allocation => ({
      name,
      memory,
      engine: 'llama-server',
      context: { ...base, contextTokens, cacheType: 'f16', slots: count, unified: unified === 1 },
      contextBytes,
      computeBytes,
    })),
  ];
}

function contextError(allocations: readonly Allocation[]): BenchRow {
  const errors = allocations.map(({ memory, context, contextBytes }) => {
    const bytes = contextTerms(memory.context, context).reduce((sum, term) => sum + term.bytes, 0);
    return Math.abs(bytes - contextBytes);
  });
  return {
    figure: 'KV and recurrent bytes, worst error',
    value: Math.max(...errors),
    unit: 'bytes',
    target: { atMost: 0 },
    note: `${errors.length} allocations of ${new Set(allocations.map((one) => one.name)).size} models, ${errors.filter((error) => error > 0).length} off`,
  };
}

/**
 * Errors of the context total (cells, states and compute buffer), computed from the header's keys alone, without
 * weights.
 */
function totalErrors(allocations: readonly Allocation[]): readonly BenchRow[] {
  return (['llama-server', 'node-llama-cpp'] as const).flatMap((engine) => {
    const errors = allocations
      .filter((one) => one.engine === engine)
      .map((one) => {
        const estimate = estimateMemory(one.memory, { context: one.context, engine });
        const bytes = (estimate.contextBytes ?? 0) + (estimate.computeBytes ?? 0);
        const total = one.contextBytes + one.computeBytes;
        return { one, share: (Math.abs(bytes - total) / total) * 100, isExact: estimate.certainty === 'exact' };
      })
      .sort((left, right) => right.share - left.share);
    const worst = errors[0];
    const within = errors.filter(({ share }) => share <= 6).length;
    return [
      {
        figure: `context total from the keys alone, ${engine}, worst error`,
        value: worst?.share ?? null,
        unit: '%',
        target: { atMost: 6 },
        note: `${within} of ${errors.length} within 6 %, median ${(median(errors.map(({ share }) => share)) ?? 0).toFixed(2)} %; worst: ${worst === undefined ? '' : describe(worst.one)}`,
      },
      {
        figure: `estimates from keys that call themselves exact, ${engine}`,
        value: errors.filter(({ isExact }) => isExact).length,
        unit: '',
        target: { atMost: 0 },
      },
    ];
  });
}

function describe({ name, context }: Allocation): string {
  return `${name} ${context.cacheType} ${context.contextTokens} ubatch ${context.ubatchTokens}${context.flashAttention ? '' : ' without flash attention'}`;
}

/** The same for models that the planner was not written for. The Falcons among them were looked at afterwards. */
function otherModels(
  { models }: z.infer<typeof estimatesSchema>,
  memories: ReadonlyMap<string, ModelMemory>,
): BenchRow {
  const errors = models.flatMap(({ name, rows }) => {
    const memory = memories.get(name);
    if (memory === undefined) throw new Error(`${name} is not in the catalog`);
    return rows.map(([cacheType, tokens, ubatchTokens, slots, bytes]) => {
      const context = { contextTokens: tokens * slots, cacheType, flashAttention: true, ubatchTokens };
      const estimate = estimateMemory(memory, {
        context: { ...context, slots, unified: false, draftTokens: 0 },
        engine: 'node-llama-cpp',
      });
      const ours = (estimate.contextBytes ?? 0) + (estimate.computeBytes ?? 0);
      return { name, share: (Math.abs(ours - bytes) / bytes) * 100 };
    });
  });
  const worst = errors.reduce((left, right) => (right.share > left.share ? right : left));
  return {
    figure: 'context total from the keys alone, other models, worst error',
    value: worst.share,
    unit: '%',
    target: { atMost: 6 },
    note: `${errors.filter(({ share }) => share <= 6).length} of ${errors.length} rows of ${models.length} models within 6 %; worst: ${worst.name}`,
  };
}

/** Reads a header as large as real ones, nearly all of it vocabulary, each time from a newly written file. */
async function headerRow(): Promise<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-header-'));
  try {
    const times: number[] = [];
    const bytes = headerWithVocabulary(262_144);
    for (let round = 0; round < 5; round += 1) {
      const path = join(folder, `${round}.gguf`);
      await writeFile(path, bytes);
      const startedAt = performance.now();
      const header = await readGguf(path);
      times.push(performance.now() - startedAt);
      if (!header.ok || header.value.facts.vocabulary !== 262_144) throw new Error('the header was not read');
    }
    return {
      figure: 'reading a header',
      value: Math.min(...times),
      unit: 'ms',
      target: { atMost: 150 },
      note: `the quickest of 5, for the machine may be busy; slowest ${Math.max(...times).toFixed(0)} ms; ${(bytes.length / 1e6).toFixed(1)} MB with 262,144 words and as many merges; the disk's own cache is warm`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
