import { z } from 'zod';
import type { TextUse } from './model-info.ts';

const bytes = z.number().nonnegative();
const perSecond = z.number().positive().nullable().default(null);

/** A machine to suggest models for. Unknown facts are null. */
export const suggestMachineSchema = z.object({
  /** Graphics cards, or the part of unified memory that graphics may use. */
  devices: z
    .array(z.object({ name: z.string().min(1), totalBytes: bytes, isUnified: z.boolean().default(false) }))
    .max(16),
  host: z.object({ totalBytes: bytes }),
  /** Measured here from a model's answers, in bytes per second. */
  deviceBandwidth: perSecond,
  hostBandwidth: perSecond,
  /** Measured here: the speed of reading in tokens per second, and the billions of active parameters of the model. */
  measuredPrefill: z
    .object({ perSecond: z.number().positive(), activeB: z.number().positive() })
    .nullable()
    .default(null),
});
export type SuggestMachine = z.infer<typeof suggestMachineSchema>;

export type SuggestedRole = 'coding' | 'chat' | 'quick';

/** Who ran a benchmark: the model's maker, a rival, an outsider, or several of them. */
export type ScoreBy = 'maker' | 'rival' | 'outside' | 'mixed';

export interface SuggestedModel {
  readonly role: SuggestedRole;
  /** Its id in the catalog. */
  readonly id: string;
  readonly label: string;
  readonly quantization: string;
  /** What to download: `hf:OWNER/REPO/FILE`. */
  readonly source: string;
  /** Its id after the download. */
  readonly model: string;
  /** The id by which it can be called now; null when it is not on this machine. */
  readonly readyAs: string | null;
  readonly ollama: string | null;
  readonly sizeBytes: number | null;
  /** False when the size is an estimate; the hub is asked before the download. */
  readonly isSizeExact: boolean;
  /** Its projector, which is downloaded with it so that it sees images. Absent: it has none. Null: the size is unknown. */
  readonly projector?: { readonly bytes: number | null };
  readonly license: string | null;
  readonly place: 'card' | 'card-and-ram' | 'unified' | 'ram';
  readonly contextTokens: number;
  /** True when the memory planner computed it for exactly this file. */
  readonly isContextPlanned: boolean;
  /** Tokens per second; null with the reason in `speedNote`. */
  readonly decodePerSecond: number | null;
  readonly prefillPerSecond: number | null;
  readonly speedNote: string | null;
  readonly why: string;
  readonly scores: readonly { readonly bench: string; readonly value: string; readonly by: ScoreBy }[];
  /** What it cannot do here, though its role says so. */
  readonly limits: readonly string[];
  readonly notes: readonly string[];
}

/** A model for searches: it turns texts into vectors, or says how well texts fit a question. */
export interface SuggestedReader {
  readonly use: TextUse;
  readonly id: string;
  readonly label: string;
  /** What to download: `hf:OWNER/REPO/FILE`. */
  readonly source: string;
  readonly sizeBytes: number | null;
  readonly license: string | null;
  readonly why: string;
}

export interface ModelSuggestions {
  readonly machine: SuggestMachine;
  /** Date of the catalog. */
  readonly date: string;
  /** Empty when nothing in the catalog fits. */
  readonly models: readonly SuggestedModel[];
  /** The same on every machine, because they are small. */
  readonly readers: readonly SuggestedReader[];
}
