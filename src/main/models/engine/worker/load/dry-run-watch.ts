import { openForPlans } from './open-library.ts';
import type { DryRun } from '../worker-protocol.ts';

const dryRuns = createDryRunWatch();

/**
 * Bytes of cells, states and compute buffer, by the engine's own dry run. It plans the context from the tensors in
 * the file's header and allocates nothing. The result is for the processor; a card's buffers differ by a few
 * percent. Throws if the engine cannot do it.
 */
export async function measureContext(context: DryRun): Promise<number> {
  const { GgmlType, GgufInsights, LlamaLogLevel, readGgufFileInfo } = await import('node-llama-cpp');
  const llama = await openForPlans();
  const type = { f16: GgmlType.F16, q8_0: GgmlType.Q8_0, q4_0: GgmlType.Q4_0 }[context.cacheType];
  // This library may also hold a loaded model, whose logger must be restored afterwards.
  const { logger, logLevel } = llama;
  llama.logger = (_level, line) => dryRuns.hear(line);
  llama.logLevel = LlamaLogLevel.warn;
  try {
    const insights = await GgufInsights.from(await readGgufFileInfo(context.modelPath), llama);
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
  } finally {
    llama.logger = logger;
    llama.logLevel = logLevel;
  }
}

/**
 * Detects that a dry run of the engine failed. The library then uses an older estimate, which can be wrong by a
 * factor of thirty, and only prints a warning.
 */
export interface DryRunWatch {
  /** Takes every line that the engine or its library prints. */
  readonly hear: (line: string) => void;
  /** Throws if a dry run has failed since the last check. */
  readonly check: () => void;
}

export function createDryRunWatch(): DryRunWatch {
  let failed: string | null = null;
  return {
    hear: (line) => {
      if (/falling back to estimation/iu.test(line)) failed = line.trim();
    },
    check: () => {
      const said = failed;
      failed = null;
      if (said !== null) throw new Error(`A dry run could not find out how much memory this model needs. ${said}`);
    },
  };
}
