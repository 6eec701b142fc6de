import { z } from 'zod';
import type { TextUse } from './model-info.ts';

const bytes = z.number().nonnegative();
const perSecond = z.number().positive().nullable().default(null);

/** A machine to suggest models for. What is not known is null. */
export const suggestMachineSchema = z.object({
  /** Cards, or the part of unified memory that graphics may use. */
  devices: z
    .array(z.object({ name: z.string().min(1), totalBytes: bytes, isUnified: z.boolean().default(false) }))
    .max(16),
  host: z.object({ totalBytes: bytes }),
  /** Bytes a second that were measured here by a model that answered. */
  deviceBandwidth: perSecond,
  hostBandwidth: perSecond,
  /** Tokens a second that were read here, and how many billions of parameters each of them took. */
  measuredPrefill: z
    .object({ perSecond: z.number().positive(), activeB: z.number().positive() })
    .nullable()
    .default(null),
});
export type SuggestMachine = z.infer<typeof suggestMachineSchema>;

export type SuggestedRole = 'coding' | 'chat' | 'quick';

/** Who ran a benchmark: the maker of the model, one of its rivals, somebody else, or several of them. */
export type ScoreBy = 'maker' | 'rival' | 'outside' | 'mixed';

export interface SuggestedModel {
  readonly role: SuggestedRole;
  /** In the catalog. */
  readonly id: string;
  readonly label: string;
  readonly quantization: string;
  /** What to download: `hf:OWNER/REPO/FILE`. */
  readonly source: string;
  /** Its id once it is here. */
  readonly model: string;
  /** The id by which it can be called now; null: it is not here. */
  readonly readyAs: string | null;
  readonly ollama: string | null;
  readonly sizeBytes: number | null;
  /** False: the exact size was not seen, and the hub is asked before the download. */
  readonly isSizeExact: boolean;
  readonly license: string | null;
  readonly place: 'card' | 'card-and-ram' | 'unified' | 'ram';
  readonly contextTokens: number;
  /** True: computed by the memory planner for this very file. */
  readonly isContextPlanned: boolean;
  /** Tokens a second; null with the reason in `speedNote`. */
  readonly decodePerSecond: number | null;
  readonly prefillPerSecond: number | null;
  readonly speedNote: string | null;
  readonly why: string;
  readonly scores: readonly { readonly bench: string; readonly value: string; readonly by: ScoreBy }[];
  /** What it cannot do here, though its role says so. */
  readonly limits: readonly string[];
  readonly notes: readonly string[];
}

/** A model for a search: it makes vectors of texts, or says how well texts fit a question. */
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
  /** Of the catalog. */
  readonly date: string;
  /** Empty: nothing of the catalog fits. */
  readonly models: readonly SuggestedModel[];
  /** The same on every machine: they are small. */
  readonly readers: readonly SuggestedReader[];
}
