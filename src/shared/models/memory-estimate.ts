/** What a model takes and gets, as the planner answers it. Bytes and tokens; what is not known is null, never 0. */

export type CacheType = 'f16' | 'q8_0' | 'q4_0';

/**
 * Who computes. llama-server reserves the logits of one token for each slot; node-llama-cpp those of every token of a batch.
 */
export type EngineProfile = 'llama-server' | 'node-llama-cpp';

/** How far a figure can be trusted: to the byte, within the bound that `why` names, or not at all. */
export type Certainty = 'exact' | 'bounded' | 'unknown';

/** One part of the memory, with the reason for its size. */
export interface MemoryTerm {
  readonly name: string;
  readonly bytes: number;
  readonly why: string;
}

export interface MemoryEstimate {
  readonly kvBytes: number | null;
  readonly recurrentBytes: number | null;
  /** KV and recurrent. */
  readonly contextBytes: number | null;
  readonly computeBytes: number | null;
  /** Of the file; null where neither header nor caller says. */
  readonly weightsBytes: number | null;
  /** All of the above; null where one is. */
  readonly totalBytes: number | null;
  readonly certainty: Certainty;
  readonly terms: readonly (MemoryTerm & { readonly certainty: Certainty })[];
}

export interface GrantedMemoryPlan {
  /** Tokens; 0 where nothing fits. */
  readonly context: number;
  readonly kv: CacheType;
  /** As the engine's own option counts: the repeating layers, and one more for the output. */
  readonly gpuLayers: number;
  /** Of the first so many layers the experts are in main memory. Absent: of none by themselves. */
  readonly hostExperts?: number;
  /** Where the weights lie. */
  readonly placement: 'devices' | 'experts-on-host' | 'partly-on-host' | 'host' | 'nowhere';
  readonly devices: readonly {
    readonly name: string;
    readonly layers: number;
    readonly bytes: number;
    /** What may be used of it: free, less the margin. */
    readonly budgetBytes: number;
  }[];
  readonly hostBytes: number | null;
  /** Weights of these that are copied beside the mapped file, whose pages may then go; not counted twice. Absent: none. */
  readonly copied?: MemoryTerm;
  /** One or two sentences: what was asked, what is granted and why. */
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** A number about the machine, with where it comes from and what it is worth. */
export interface DeviceMemory {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly driverBytes: number;
  readonly isUnified: boolean;
  readonly source:
    | 'engine'
    | 'nvidia-smi'
    | 'amdgpu-sysfs'
    | 'rocm-smi'
    | 'metal'
    | 'windows-registry'
    | 'settings'
    | 'simulated';
  readonly confidence: 'high' | 'medium' | 'low';
  readonly note: string | null;
}

export interface MemoryPlanAnswer extends MemoryEstimate {
  readonly model: string | null;
  readonly architecture: string | null;
  readonly trainedTokens: number | null;
  readonly asked: number | null;
  readonly granted: GrantedMemoryPlan;
  /** What one call gets of it where no context is asked for; null: all of it. */
  readonly usual: number | null;
  /** Of the last call, where one was made; the planner itself makes none. */
  readonly evaluated: null;
  readonly devices: readonly DeviceMemory[];
  readonly host: { readonly totalBytes: number; readonly freeBytes: number; readonly source: string };
  /** Rule of thumb for the same cards, for orientation only. */
  readonly ruleOfThumb: number | null;
  /** Why nothing could be computed (`certainty` unknown). */
  readonly why: string | null;
}
