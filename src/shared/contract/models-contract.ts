import { base } from './contract-base.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { KeptCard, ProbeProgress } from '@shared/models/probe-card.ts';
import type { Ability } from '@shared/routing/priors.ts';
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
  readonly license: string | null;
  readonly info: ModelInfo | null;
  readonly note: string | null;
  /** How the model would fit into this machine's memory, in one line. Only when one model is shown. Null: unknown. */
  readonly fit?: string | null;
  /**
   * Which file of its family suits this machine, and with what speed and loss. Only when one model of the catalog is
   * shown.
   */
  readonly quantization?: string;
  /** For a model of the catalog: the documents that its header data, and so its fit, were taken from. */
  readonly headerFrom?: readonly string[];
  /** Its file on this machine, present or expected. `isOurs`: removing the model deletes the file. */
  readonly file?: { readonly path: string; readonly hereBytes: number; readonly isOurs: boolean };
  /** For a server: it is installed but does not run. The setting `start` of its provider lets Dewpoint start it. */
  readonly canStart?: boolean;
  /** How the router ranks it. Only in the list of all models, and of a model that is known well enough. */
  readonly ability?: Ability;
  /** What its probe found. Absent: it was not probed. */
  readonly card?: KeptCard;
  /** Known reasons against the model. Absent: none. */
  readonly advice?: readonly ModelAdvice[];
  /** For a repository on a hub: the files that can be downloaded, smallest first. */
  readonly choices?: readonly ModelChoice[];
}

export interface ModelAdvice {
  readonly kind: 'broken' | 'newer' | 'slow';
  /** Full sentences: what is wrong, and what to do. */
  readonly text: string;
}

/** The model catalog before or after an update. */
export interface CatalogUpdate {
  /** When the catalog was written. */
  readonly date: string;
  /** Null: the catalog that came with Dewpoint. */
  readonly revision: number | null;
  readonly models: number;
  /** Differences from the catalog in use, one line each. */
  readonly changes: readonly string[];
  /** False when the update was only previewed. */
  readonly isTaken: boolean;
}

/** The result of removing a model. `forgotten`: the file is the user's own and was not touched. */
export interface ModelRemoval {
  readonly done: 'deleted' | 'forgotten';
  readonly path: string;
  /** Bytes that were freed. */
  readonly bytes: number;
}

/** A problem of a server's model that a derived model can repair. */
export interface ModelRepair {
  /** Null: no problem. */
  readonly problem: string | null;
  /** The planned repair in one sentence; null when it cannot be repaired. */
  readonly plan: string | null;
  /** The id of the new model; null when nothing was done. */
  readonly made: string | null;
}

/** A repository with models that a search of the hub found. */
export interface FoundRepository {
  /** `hf:OWNER/REPO` */
  readonly id: string;
  readonly downloads: number | null;
  readonly isGated: boolean;
  /** A guess from its count of parameters: its file with about 4 bits a weight. Null: the count is unknown. */
  readonly sizeBytes: number | null;
  /** Whether such a file probably fits into the memory of this machine. Null: unknown. */
  readonly fits: boolean | null;
}

export interface PullProgress {
  readonly phase: 'checking' | 'downloading' | 'joining' | 'verifying' | 'done';
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly text: string;
}

/** How the built-in engine uses the graphics cards of this machine. */
export interface EngineCardsReport {
  readonly cards: readonly { readonly name: string; readonly totalBytes: number; readonly source: string }[];
  readonly isUsed: boolean;
  /** One sentence; null when there is no card. */
  readonly reason: string | null;
  /** How to get more out of the card; null when nothing would help. */
  readonly advice: string | null;
  /** The engine library that the card needs; null when none is needed or none exists. */
  readonly library: {
    readonly id: string;
    readonly label: string;
    readonly bytes: number;
    readonly license: string;
    readonly isHere: boolean;
  } | null;
}

/** A llama-server of this machine, or how to get one. */
export interface LlamaServerLook {
  /** Null: no program was found. */
  readonly path: string | null;
  /** Null: it cannot be used. */
  readonly version: string | null;
  /** The graphics cards that it sees. */
  readonly cards: readonly string[];
  /** Why it cannot be used, and what to do. Null: it can. */
  readonly problem: string | null;
  /** Where a program is looked for, and how to get one on this system. Full sentences, with commands in backticks. */
  readonly places: string;
  readonly howToGet: string;
}

/** Models on this machine and from providers, and the memory that a model would take. */
export const modelsContract = {
  models: {
    list: base.output(type<readonly ModelEntry[]>()),
    /** `fit` also says how the model would fit into memory. For that, its header and the hardware are read. */
    show: base.input(z.object({ id: z.string(), fit: z.boolean().default(false) })).output(type<ModelEntry>()),
    /** Repositories of the hub with models for the engine, by words. The words go to the hub. The most used come first. */
    search: base.input(z.object({ words: z.string().min(1).max(200) })).output(type<readonly FoundRepository[]>()),
    /** The catalog's suggestions for this machine, or for another one. Sends no request. */
    suggest: base
      .input(z.object({ machine: suggestMachineSchema.nullable().default(null) }))
      .output(type<ModelSuggestions>()),
    /** Takes a signed catalog by its full path or https address. Without `apply`, only says what would change. */
    updateCatalog: base
      .input(z.object({ source: z.string().min(1), apply: z.boolean() }))
      .output(type<CatalogUpdate>()),
    /** Returns to the catalog that came with Dewpoint. */
    resetCatalog: base.output(type<CatalogUpdate>()),
    /**
     * Looks for the user's own llama-server and asks it for its version, for which it is started. Null: as usual, else
     * the program that the user chose.
     */
    lookForServer: base
      .input(z.object({ program: z.string().min(1).max(4_096).nullable() }))
      .output(type<LlamaServerLook>()),
    /** Reads the hardware; downloads nothing. */
    cards: base.output(type<EngineCardsReport>()),
    /** Whether local models hold back now because of power, heat or memory, and why. */
    strain: base.output(type<Strain>()),
    /** Passes on what the operating system tells the app about power and heat. */
    noteStrain: base.input(strainFactsSchema).output(type<void>()),
    pull: base.input(z.object({ id: z.string() })).output(type<AsyncIterable<PullProgress>>()),
    /**
     * Registers a GGUF file on this machine by its full path, without copying it. Without a name, it gets the file's.
     */
    import: base
      .input(z.object({ path: z.string().min(1), name: z.string().nullable().default(null) }))
      .output(type<ModelEntry>()),
    /**
     * Adds a LoRA adapter (a GGUF file, by its full path) to a model on this machine. Returns the entry of the
     * resulting model. The built-in engine uses the file where it is; a server gets a copy. A projector lets the
     * model itself see pictures.
     */
    addAdapter: base
      .input(z.object({ path: z.string().min(1), model: z.string().min(1), name: z.string().nullable().default(null) }))
      .output(type<ModelEntry>()),
    /** Asks a model small questions for about a minute to find its best settings. Runs as a session of its own. */
    probe: base.input(z.object({ id: z.string().min(1) })).output(type<AsyncIterable<ProbeProgress>>()),
    /** Deletes what Dewpoint downloaded and forgets what was imported. The caller has already asked the user. */
    remove: base.input(z.object({ id: z.string().min(1) })).output(type<ModelRemoval>()),
    /**
     * Without `apply`, only says what is wrong and how it would be repaired. A caller that sets it has asked the user.
     */
    repair: base.input(z.object({ id: z.string().min(1), apply: z.boolean() })).output(type<ModelRepair>()),
  },
  plan: base.input(memoryPlanInputSchema).output(type<MemoryPlanAnswer>()),
};
