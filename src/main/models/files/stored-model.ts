import type { Effort, Strategy } from '@shared/models/model-info.ts';

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
  /** Whose file it is: of our folder, imported under a name, or named by its path. */
  readonly origin: 'folder' | 'imported' | 'path';
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
  /** How hard it can be told to think; empty: it has no switch. */
  readonly efforts: readonly Effort[];
  readonly license: string | null;
  readonly sha256: string | null;
  /** Of a model of the catalog: which documents the keys of its header were taken from. */
  readonly headerFrom?: readonly string[];
}
