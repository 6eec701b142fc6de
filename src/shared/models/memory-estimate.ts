/** The planner's answer: what a model takes and gets. In bytes and tokens; an unknown figure is null, never 0. */

export type CacheType = 'f16' | 'q8_0' | 'q4_0';

/**
 * The engine that computes. llama-server reserves the logits of one token for each slot; node-llama-cpp reserves those
 * of every token of a batch.
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
  /** KV cache and recurrent state together. */
  readonly contextBytes: number | null;
  readonly computeBytes: number | null;
  /** Size of the weights in the file; null when neither the header nor the caller gives it. */
  readonly weightsBytes: number | null;
  /** The sum of all parts; null when one is null. */
  readonly totalBytes: number | null;
  readonly certainty: Certainty;
  readonly terms: readonly (MemoryTerm & { readonly certainty: Certainty })[];
}

export interface GrantedMemoryPlan {
  /** In tokens; 0 when nothing fits. */
  readonly context: number;
  readonly kv: CacheType;
  /** Counted like the engine's own option: the repeating layers, plus one for the output. */
  readonly gpuLayers: number;
  /** The experts of this many first layers are in main memory. Absent: the layers' experts stay with their layers. */
  readonly hostExperts?: number;
  /** Where the weights are. */
  readonly placement: 'devices' | 'experts-on-host' | 'partly-on-host' | 'host' | 'nowhere';
  readonly devices: readonly {
    readonly name: string;
    readonly layers: number;
    readonly bytes: number;
    /** The usable part of its memory: free memory minus the margin. */
    readonly budgetBytes: number;
  }[];
  readonly hostBytes: number | null;
  /**
   * The part of `hostBytes` that is weights copied beside the mapped file, whose pages may then be dropped. Not counted
   * twice. Absent: none.
   */
  readonly copied?: MemoryTerm;
  /** One or two sentences: what was asked, what is granted and why. */
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** A fact about the machine, with its source and how reliable it is. */
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
  /** Always null: the planner makes no call. */
  readonly evaluated: null;
  readonly devices: readonly DeviceMemory[];
  readonly host: { readonly totalBytes: number; readonly freeBytes: number; readonly source: string };
  /** A rule of thumb for the same cards, as a rough guide only. */
  readonly ruleOfThumb: number | null;
  /** Why nothing could be computed (`certainty` is unknown). */
  readonly why: string | null;
}
