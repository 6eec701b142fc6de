import type { Sight } from './projectors.ts';
import type { Effort, Strategy, TextUse } from '@shared/models/model-info.ts';

/** A file of the user's own, to be taken in by reference. */
export interface FileToAdd {
  /** Absolute. */
  readonly path: string;
  /** Null: made from the file name. */
  readonly name: string | null;
}

/** An adapter on a model. */
export interface AdapterOf {
  readonly path: string;
  readonly name: string;
  readonly baseName: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly madeFor: string | null;
  /**
   * Why it must not be used, in whole sentences. Null: model and adapter are unchanged since it was added. May hash
   * both.
   */
  readonly refusal: (signal: AbortSignal) => Promise<string | null>;
}

/** A model file that is here or can be downloaded. */
export interface StoredModel {
  /** The name without `llama-cpp/`. An absolute path for a file that is used in place. */
  readonly name: string;
  readonly label: string;
  /** False for a truncated file, too. Then `path` is set all the same. */
  readonly isInstalled: boolean;
  readonly isStarter: boolean;
  /** Null if the file is not here. */
  readonly path: string | null;
  /**
   * Where the file belongs: in our folder, imported under a name, named by its path, or an adapter on one of these.
   */
  readonly origin: 'folder' | 'imported' | 'path' | 'adapter';
  /** The path where its file is or would be. For several files, the path of the first. */
  readonly place: string;
  /** All its files, in order. */
  readonly files: readonly string[];
  /** Bytes on the disk, partial downloads included. */
  readonly hereBytes: number;
  readonly bytes: number | null;
  readonly contextTokens: number | null;
  readonly parametersB: number | null;
  readonly strategies: readonly Strategy[];
  /** Set for a model that makes vectors or scores. Absent: it answers. */
  readonly use?: TextUse;
  /** The thinking efforts to choose from. Empty: thinking cannot be switched. */
  readonly efforts: readonly Effort[];
  readonly license: string | null;
  readonly sha256: string | null;
  /** The adapter on it. Absent: none. `path` is then the file of the base, and `place` that of the adapter. */
  readonly adapter?: AdapterOf;
  /** Its projector, or why the one beside it is not used. Absent: there is none. */
  readonly sight?: Sight;
  /** For a model of the catalog, the documents that its header keys come from. */
  readonly headerFrom?: readonly string[];
}
