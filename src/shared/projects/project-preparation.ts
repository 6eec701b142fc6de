/** How a project's packages are installed for the sandbox, and how it stands with each part of them. */
export interface PreparationPlan {
  readonly projectPath: string;
  /** The image of the sandbox, for people. */
  readonly image: string;
  readonly parts: readonly PreparationPart[];
  /** Hosts that the commands may reach, and nothing else; each with whose word that is. */
  readonly hosts: readonly { readonly host: string; readonly why: string }[];
  /** Names of variables that the commands get; never their values. */
  readonly variables: readonly string[];
  /** Stands for the exact commands, hosts and files; `prepare` does nothing else than what it stands for. */
  readonly approval: string;
}

export interface PreparationPart {
  readonly ecosystem: 'python' | 'javascript';
  /** Of the project; absent or empty: its top. */
  readonly folder?: string;
  /** The package manager. */
  readonly tool: string;
  readonly files: readonly string[];
  /** Run in order in a copy of the project, in a container of their own. */
  readonly commands: readonly string[];
  /**
   * `ready`: nothing to do. `outdated`: installed, but the project says something else by now. `failed`: tried, and
   * `reason` says why not. `missing`: never tried.
   */
  readonly state: 'ready' | 'outdated' | 'failed' | 'missing';
  /** The project can hardly do without; where it is false nobody is asked. */
  readonly isNeeded: boolean;
  readonly reason: string | null;
  readonly packages: number | null;
  readonly sizeBytes: number | null;
  /** What the kept packages are found by, and since when they are there; absent or null: they are not. */
  /** Commands with a network that changed them since; absent or empty: none. */
  readonly changedBy?: readonly string[];
  readonly key?: string | null;
  readonly preparedAt?: number | null;
}

/** A sentence about what is being done, and at the end how it stands. */
export type PrepareProgress =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'ended'; readonly plan: PreparationPlan };

/** What `clean` may take away. `images`: also images that are not needed. */
export interface CleanRequest {
  readonly remove: 'nothing' | 'unneeded' | 'all';
  readonly images?: boolean | undefined;
}

/** Something that Dewpoint keeps: in the container engine, in its home or in its cache. */
export interface KeptItem {
  readonly kind: 'packages' | 'unfinished' | 'leftover' | 'image' | 'blobs' | 'copy' | 'states' | 'model';
  /** For people: which project and what. */
  readonly name: string;
  readonly sizeBytes: number | null;
  /** Why it is not needed; null where it is. */
  readonly unneeded: string | null;
  readonly isRemoved: boolean;
}
