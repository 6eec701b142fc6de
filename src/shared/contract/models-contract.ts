import { base } from './contract-base.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { KeptCard, ProbeProgress } from '@shared/models/probe-card.ts';
import type { ModelChoice } from '@shared/models/model-choice.ts';
import { type } from '@orpc/contract';
import { z } from 'zod';
import type { Strain } from '@shared/models/machine-strain.ts';
import { strainFactsSchema } from '@shared/models/machine-strain.ts';
import { suggestMachineSchema } from '@shared/models/model-suggestion.ts';
import type { ModelSuggestions } from '@shared/models/model-suggestion.ts';
import { memoryPlanInputSchema } from '@shared/models/memory-plan-input.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';

export interface ModelEntry {
  readonly id: string;
  readonly label: string;
  readonly where: 'local' | 'cloud';
  /** `ready`: can be called now. `downloadable`: known, not on this machine. */
  readonly state: 'ready' | 'downloadable' | 'unreachable';
  readonly sizeBytes: number | null;
  readonly licence: string | null;
  readonly info: ModelInfo | null;
  readonly note: string | null;
  /** What it would get of this machine's memory, in a line; only where one model is shown. Null: not known. */
  readonly fit?: string | null;
  /** Which file of its family suits this machine, how fast and at what loss; only where one model of the catalog is shown. */
  readonly quantization?: string;
  /** Of a model of the catalog: which documents the keys of its header, and so its fit, were taken from. */
  readonly headerFrom?: readonly string[];
  /** Its file, where there is or would be one; `isOurs` when removing the model deletes it. */
  readonly file?: { readonly path: string; readonly hereBytes: number; readonly isOurs: boolean };
  /** Of a server: it is installed and does not run; the setting `start` of its provider has Dewpoint start it. */
  readonly canStart?: boolean;
  /** What its probe found out; absent: it was not probed. */
  readonly card?: KeptCard;
  /** What speaks against it; absent: nothing is known. */
  readonly advice?: readonly ModelAdvice[];
  /** Of a repository of a hub: what can be fetched of it, the smallest first. */
  readonly choices?: readonly ModelChoice[];
}

export interface ModelAdvice {
  readonly kind: 'broken' | 'newer' | 'slow';
  /** Whole sentences: what is wrong, and what to do. */
  readonly text: string;
}

/** The catalog of models after, or before, it was renewed. */
export interface CatalogUpdate {
  /** When it was written. */
  readonly date: string;
  /** Null: the one that came with Dewpoint. */
  readonly revision: number | null;
  readonly models: number;
  /** Against the one that is in use, a line each; empty: nothing. */
  readonly changes: readonly string[];
  /** False: it was only looked at. */
  readonly isTaken: boolean;
}

/** What became of a model that was removed; `forgotten`: its file is the user's own and lies where it lay. */
export interface ModelRemoval {
  readonly done: 'deleted' | 'forgotten';
  readonly path: string;
  /** What was freed. */
  readonly bytes: number;
}

/** What is wrong with a model of a server and can be repaired by a derived one. */
export interface ModelRepair {
  /** Null: nothing. */
  readonly problem: string | null;
  /** What would be done, in a sentence; null: nothing can be. */
  readonly plan: string | null;
  /** The id of the model that was made; null: nothing was done. */
  readonly made: string | null;
}

export interface PullProgress {
  readonly phase: 'checking' | 'downloading' | 'joining' | 'verifying' | 'done';
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly text: string;
}

/** What the built-in engine makes of the graphics cards here. */
export interface EngineCardsReport {
  readonly cards: readonly { readonly name: string; readonly totalBytes: number; readonly source: string }[];
  readonly isUsed: boolean;
  /** One sentence; null where there is no card. */
  readonly reason: string | null;
  /** What would make more of the card; null: nothing. */
  readonly advice: string | null;
  /** The engine's library that the card needs; null: none is needed, or none exists. */
  readonly library: {
    readonly id: string;
    readonly label: string;
    readonly bytes: number;
    readonly licence: string;
    readonly isHere: boolean;
  } | null;
}

/** Models of this machine and of providers, and the memory that one would take. */
export const modelsContract = {
  models: {
    list: base.output(type<readonly ModelEntry[]>()),
    /** `fit`: with what it would get of this machine's memory, for which its header and the hardware are read. */
    show: base.input(z.object({ id: z.string(), fit: z.boolean().default(false) })).output(type<ModelEntry>()),
    /** What the catalog has for this machine, or for another one. Nothing is asked elsewhere. */
    suggest: base
      .input(z.object({ machine: suggestMachineSchema.nullable().default(null) }))
      .output(type<ModelSuggestions>()),
    /** A signed catalog, by its whole path or https address. Without `apply` it only says what would change. */
    updateCatalog: base
      .input(z.object({ source: z.string().min(1), apply: z.boolean() }))
      .output(type<CatalogUpdate>()),
    /** Back to the catalog that came with Dewpoint. */
    resetCatalog: base.output(type<CatalogUpdate>()),
    /** Reads the hardware; fetches nothing. */
    cards: base.output(type<EngineCardsReport>()),
    /** Whether models of this machine go easy on it now, and why. */
    strain: base.output(type<Strain>()),
    /** What the app hears from the system of power and heat. */
    noteStrain: base.input(strainFactsSchema).output(type<void>()),
    pull: base.input(z.object({ id: z.string() })).output(type<AsyncIterable<PullProgress>>()),
    /** A GGUF file anywhere on this machine (its whole path), by reference; without a name it gets the file's. */
    import: base
      .input(z.object({ path: z.string().min(1), name: z.string().nullable().default(null) }))
      .output(type<ModelEntry>()),
    /**
     * A LoRA adapter (a GGUF file, its whole path) for a model that is here. The entry is that of the model they make: for
     * a model of the engine in the app the file is used where it lies, a server gets a copy.
     */
    addAdapter: base
      .input(z.object({ path: z.string().min(1), model: z.string().min(1), name: z.string().nullable().default(null) }))
      .output(type<ModelEntry>()),
    /** Asks a model small things for about a minute, to find out how it is best driven. A session of its own. */
    probe: base.input(z.object({ id: z.string().min(1) })).output(type<AsyncIterable<ProbeProgress>>()),
    /** Deletes what Dewpoint downloaded, forgets what was imported. Whoever asks has made sure that it is wanted. */
    remove: base.input(z.object({ id: z.string().min(1) })).output(type<ModelRemoval>()),
    /** Without `apply` it only says what is wrong and what would be done. Whoever sets it has asked the person. */
    repair: base.input(z.object({ id: z.string().min(1), apply: z.boolean() })).output(type<ModelRepair>()),
  },
  plan: base.input(memoryPlanInputSchema).output(type<MemoryPlanAnswer>()),
};
