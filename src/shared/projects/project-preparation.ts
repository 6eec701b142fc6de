/** Whose packages a project needs. */
export const packageEcosystems = ['python', 'javascript', 'go', 'rust', 'java', 'ruby', 'php'] as const;
export type PackageEcosystem = (typeof packageEcosystems)[number];

/** How a project's packages are installed for the sandbox, and the state of each part. */
export interface PreparationPlan {
  readonly projectPath: string;
  /** The sandbox image, for people. */
  readonly image: string;
  readonly parts: readonly PreparationPart[];
  /** The only hosts that the commands may reach, each with who asked for it. */
  readonly hosts: readonly { readonly host: string; readonly why: string }[];
  /** Names of variables that the commands get; never their values. */
  readonly variables: readonly string[];
  /** Sentences about what cannot be prepared and what is installed besides packages. Absent or empty: nothing. */
  readonly notes?: readonly string[];
  /** Stands for the exact commands, hosts and files. `prepare` runs nothing else. */
  readonly approval: string;
}

export interface PreparationPart {
  readonly ecosystem: PackageEcosystem;
  /** Folder within the project. Absent or empty: its top. */
  readonly folder?: string;
  /** The package manager. */
  readonly tool: string;
  readonly files: readonly string[];
  /** Run in order, in a copy of the project in a container of its own. */
  readonly commands: readonly string[];
  /**
   * `ready`: nothing to do. `outdated`: installed, but the project has changed since. `failed`: tried; `reason` says
   * what went wrong. `missing`: never tried.
   */
  readonly state: 'ready' | 'outdated' | 'failed' | 'missing';
  /** Whether the project can hardly work without it. If false, nobody is asked. */
  readonly isNeeded: boolean;
  readonly reason: string | null;
  readonly packages: number | null;
  readonly sizeBytes: number | null;
  /** Commands with network access that changed them since. Absent or empty: none. */
  readonly changedBy?: readonly string[];
  /** The key of the installed packages, and the time of their installation. Absent or null: not installed. */
  readonly key?: string | null;
  readonly preparedAt?: number | null;
}

/** Sentences about the progress, and the state at the end. */
export type PrepareProgress =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'ended'; readonly plan: PreparationPlan };

/** What `clean` may remove. `images`: also images that are not needed. */
export interface CleanRequest {
  readonly remove: 'nothing' | 'unneeded' | 'all';
  readonly images?: boolean | undefined;
}

/** Something that Dewpoint keeps in the container engine, its home or its cache. */
export interface KeptItem {
  readonly kind: 'packages' | 'unfinished' | 'leftover' | 'image' | 'blobs' | 'copy' | 'states' | 'model';
  /** For people: which project, and what it is. */
  readonly name: string;
  readonly sizeBytes: number | null;
  /** Why it is not needed; null when it is needed. */
  readonly unneeded: string | null;
  readonly isRemoved: boolean;
}

const ecosystemNames: Readonly<Record<PackageEcosystem, string>> = {
  python: 'Python',
  javascript: 'JavaScript',
  go: 'Go',
  rust: 'Rust',
  java: 'Java',
  ruby: 'Ruby',
  php: 'PHP',
};

/** A part for people: its language, and its folder where it is not the top. */
export function partLabel({ ecosystem, folder = '' }: Pick<PreparationPart, 'ecosystem' | 'folder'>): string {
  const name = ecosystemNames[ecosystem];
  return folder === '' ? name : `${folder}: ${name}`;
}

const shownFiles = 3;

/** The files that decide what a part installs. Of a project with many modules, the first. */
export function filesLabel(files: readonly string[]): string {
  const more = files.length - shownFiles;
  // One file more takes no more room than its number.
  return more <= 1 ? files.join(', ') : `${files.slice(0, shownFiles).join(', ')} and ${more} others`;
}
