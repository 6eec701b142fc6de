import type { Effort, Strategy, TextUse } from '@shared/models/model-info.ts';

/** A file of the user's own, to be taken in by reference. */
export interface FileToAdd {
  /** Absolute. */
  readonly path: string;
  /** Null: made from the name of the file. */
  readonly name: string | null;
}

/** What an adapter changes, and with what. */
export interface AdapterOf {
  readonly path: string;
  readonly name: string;
  readonly baseName: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly madeFor: string | null;
  /** Why it must not be used, in whole sentences; null: model and adapter are those that were added. May hash both. */
  readonly refusal: (signal: AbortSignal) => Promise<string | null>;
}

/** A model file that is there, or could be. */
export interface StoredModel {
  /** The name without `llama-cpp/`; an absolute path for a file that is used where it lies. */
  readonly name: string;
  readonly label: string;
  /** False for a file that is cut short, too; then `path` says where it lies. */
  readonly isInstalled: boolean;
  readonly isStarter: boolean;
  /** Null where the file is not there. */
  readonly path: string | null;
  /** Whose file it is: of our folder, imported under a name, named by its path, or an adapter on one of these. */
  readonly origin: 'folder' | 'imported' | 'path' | 'adapter';
  /** Where its file is or would be; of several the first. */
  readonly place: string;
  /** All files of it, in their order. */
  readonly files: readonly string[];
  /** What lies on the disk of it, a part of a download included. */
  readonly hereBytes: number;
  readonly bytes: number | null;
  readonly contextTokens: number | null;
  readonly parametersB: number | null;
  readonly strategies: readonly Strategy[];
  /** It answers nothing; absent: it answers. */
  readonly use?: TextUse;
  /** How hard it can be told to think; empty: it has no switch. */
  readonly efforts: readonly Effort[];
  readonly license: string | null;
  readonly sha256: string | null;
  /** What changes its weights; absent: nothing. `path` is then the file of its base, `place` that of the adapter. */
  readonly adapter?: AdapterOf;
  /** Of a model of the catalog: which documents the keys of its header were taken from. */
  readonly headerFrom?: readonly string[];
}
