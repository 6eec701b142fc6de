import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GgmlType, LlamaLogLevel } from 'node-llama-cpp';
import type { Llama, LlamaModel } from 'node-llama-cpp';
import type { CacheType } from '@shared/models/memory-estimate.ts';
import { refusedCache } from '../../src/main/models/memory/estimate/context-memory.ts';
import { readGguf } from '../../src/main/models/memory/gguf/read-gguf.ts';
import { estimateMemory, readModelMemory } from '../../src/main/models/memory/estimate/model-memory.ts';
import type { ModelMemory } from '../../src/main/models/memory/estimate/model-memory.ts';
import { openLibrary } from '../../src/main/models/engine/worker/load/open-library.ts';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';
import type { BenchRow } from './rows.ts';

const models = ['smollm2-135m-instruct', 'qwen2.5-coder-0.5b-instruct', 'qwen2.5-coder-1.5b-instruct'];
const contexts = [1_024, 2_048, 4_096, 8_192];
const cacheTypes = { f16: GgmlType.F16, q8_0: GgmlType.Q8_0, q4_0: GgmlType.Q4_0 } as const;
const mebi = 1024 * 1024;

/** The engine's report of its allocations, in MiB as printed, beside the prediction. */
interface Load {
  readonly name: string;
  readonly kvMib: number;
  /** Copies of weights, in addition to the mapped file. */
  readonly copiesMib: number;
  readonly predictedCopiesMib: number;
  /** The mapped file and every buffer, without the copies. */
  readonly totalMib: number;
  readonly predictedKvMib: number;
  readonly predictedTotalMib: number;
}

/** Loads small models on the processor, and compares every buffer that the engine reports with the estimate. */
export async function realLoadRows(): Promise<readonly BenchRow[]> {
  const { cache } = findDataFolders(process.env, process.platform);
  const paths = models.map((name) => join(cache, 'models', `${name}.gguf`)).filter((path) => existsSync(path));
  const loads: Load[] = [];
  const lines: string[] = [];
  const llama = await openLibrary('off');
  llama.logger = (_level, text) => void lines.push(text);
  llama.logLevel = LlamaLogLevel.debug;
  for (const path of paths) loads.push(...(await loadsOf(llama, path, lines)));
  return rowsOf(loads, paths.length);
}

async function loadsOf(llama: Llama, path: string, lines: string[]): Promise<readonly Load[]> {
  const header = await readGguf(path);
  const read = header.ok ? readModelMemory(header.value.facts) : null;
  if (read === null || !read.known) throw new Error(`${path} cannot be planned`);
  lines.length = 0;
  const model = await llama.loadModel({ modelPath: path });
  const weightsMib = await sumIn(lines, /(?<!REPACK) model buffer size\s*=\s*([\d.]+) MiB/u);
  // Copies in the layout of this processor. The mapped pages they were made from are not read again.
  const copiesMib = await sumIn(lines, /REPACK model buffer size\s*=\s*([\d.]+) MiB/u).catch(() => 0);
  const loads: Load[] = [];
  for (const type of ['f16', 'q8_0', 'q4_0'] as const) {
    if (refusedCache(read.memory.context, read.memory.headWidths, { cacheType: type, flashAttention: true }) !== null)
      continue;
    for (const contextTokens of contexts) {
      loads.push(
        await oneLoad(model, { memory: read.memory, type, contextTokens, weightsMib, copiesMib, path }, lines),
      );
    }
  }
  await model.dispose();
  return loads;
}

interface Wanted {
  readonly memory: ModelMemory;
  readonly type: CacheType;
  readonly contextTokens: number;
  readonly weightsMib: number;
  readonly copiesMib: number;
  readonly path: string;
}

async function oneLoad(model: LlamaModel, wanted: Wanted, lines: string[]): Promise<Load> {
  const { memory, type, contextTokens, weightsMib, copiesMib } = wanted;
  lines.length = 0;
  const context = await model.createContext({
    contextSize: contextTokens,
    batchSize: 512,
    sequences: 1,
    flashAttention: true,
    experimentalKvCacheKeyType: cacheTypes[type],
    experimentalKvCacheValueType: cacheTypes[type],
  });
  const kvMib = await sumIn(lines, /KV buffer size\s*=\s*([\d.]+) MiB/u);
  const computeMib = await sumIn(lines, /compute buffer size\s*=\s*([\d.]+) MiB/u);
  const outputMib = await sumIn(lines, /output buffer size\s*=\s*([\d.]+) MiB/u);
  await context.dispose();
  const estimate = estimateMemory(memory, {
    engine: 'node-llama-cpp',
    context: {
      contextTokens,
      cacheType: type,
      flashAttention: true,
      ubatchTokens: 512,
      slots: 1,
      unified: false,
      draftTokens: 0,
    },
  });
  return {
    name: `${wanted.path} ${type} ${contextTokens}`,
    kvMib,
    copiesMib,
    predictedCopiesMib: (memory.weights?.copiedBytes ?? 0) / mebi,
    totalMib: weightsMib + kvMib + computeMib + outputMib,
    predictedKvMib: (estimate.kvBytes ?? 0) / mebi,
    predictedTotalMib: (estimate.totalBytes ?? 0) / mebi,
  };
}

/** The engine prints from another thread, so missing lines arrive within a moment. */
async function sumIn(lines: readonly string[], pattern: RegExp): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = lines.flatMap((line) => {
      const mib = pattern.exec(line)?.[1];
      return mib === undefined ? [] : [Number(mib)];
    });
    if (found.length > 0) return found.reduce((sum, mib) => sum + mib, 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The engine did not say its ${pattern.source}; it said: ${lines.join('').slice(0, 2_000)}`);
}

function rowsOf(loads: readonly Load[], modelCount: number): readonly BenchRow[] {
  const sample = `${loads.length} loads of ${modelCount} of ${models.length} models`;
  // The engine prints hundredths of a MiB.
  const wrong = loads.filter(({ kvMib, predictedKvMib }) => Math.abs(kvMib - predictedKvMib) > 0.0051);
  const errors = loads.map(
    ({ totalMib, predictedTotalMib }) => (Math.abs(predictedTotalMib - totalMib) / totalMib) * 100,
  );
  const worst = errors.length === 0 ? null : Math.max(...errors);
  const worstName = loads[errors.indexOf(worst ?? 0)]?.name.split('/').at(-1) ?? '';
  return [
    {
      figure: 'real loads on the processor whose KV cache is not what was predicted',
      value: loads.length === 0 ? null : wrong.length,
      unit: '',
      target: { atMost: 0 },
      note: `${sample}, to the hundredth of a MiB that the engine prints`,
    },
    {
      figure: 'their total with weights and buffers, worst error of the estimate',
      value: worst,
      unit: '%',
      target: { atMost: 1 },
      note: `${sample}; worst: ${worstName}`,
    },
    {
      figure: 'weights that the engine copies for the processor beside the mapped file, most off the prediction',
      value:
        loads.length === 0
          ? null
          : Math.max(...loads.map(({ copiesMib, predictedCopiesMib }) => Math.abs(copiesMib - predictedCopiesMib))),
      unit: 'MiB',
      target: { atMost: 0.01 },
      note: `up to ${Math.max(0, ...loads.map(({ copiesMib }) => copiesMib))} MiB; not in the total above: the pages that they were made of are free to go`,
    },
  ];
}
