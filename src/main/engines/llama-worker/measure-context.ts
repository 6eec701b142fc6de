import type { Llama } from 'node-llama-cpp';
import { createDryRunWatch } from './dry-run-watch.ts';
import type { DryRun } from './protocol.ts';

/** An engine of its own without a card: kept, because ending one could take what another has loaded with it. */
let planner: Promise<Llama> | null = null;
const dryRuns = createDryRunWatch();

/**
 * Bytes of cells, states and compute buffer, by the engine's own dry run: it makes the context on paper, with the
 * tensors of the file's header, and allocates nothing. On the processor; a card's buffers differ by a few percent.
 * Throws where the engine cannot.
 */
export async function measureContext(context: DryRun): Promise<number> {
  const { getLlama, GgmlType, GgufInsights, LlamaLogLevel, readGgufFileInfo } = await import('node-llama-cpp');
  planner ??= getLlama({
    build: 'never',
    gpu: false,
    logLevel: LlamaLogLevel.warn,
    logger: (_level, line) => dryRuns.hear(line),
    progressLogs: false,
  });
  const type = { f16: GgmlType.F16, q8_0: GgmlType.Q8_0, q4_0: GgmlType.Q4_0 }[context.cacheType];
  const insights = await GgufInsights.from(await readGgufFileInfo(context.modelPath), await planner);
  const { cpuRam, gpuVram } = await insights.estimateContextResourceRequirementsV2({
    contextSize: context.contextTokens,
    sequences: context.sequences,
    modelGpuLayers: 0,
    batchSize: context.batchTokens,
    flashAttention: context.flashAttention,
    kvCacheKeyType: type,
    kvCacheValueType: type,
  });
  dryRuns.check();
  return cpuRam + gpuVram;
}
