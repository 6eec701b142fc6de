/** What one package manager installs for a project: a part has a volume of its own, so that one can be made again alone. */
export interface DependencyPart {
  readonly ecosystem: Ecosystem;
  /** The package manager, for people. */
  readonly tool: string;
  /** Files of the project that say what is installed, relative; the volume is made again when one of them changes. */
  readonly files: readonly string[];
  /** What is run, in order, in a copy of the project; the first that fails ends it. This is what a person approves. */
  readonly commands: readonly string[];
  /** Whether the project can hardly do without; else nobody is asked about it unless he asks. */
  readonly isNeeded: boolean;
  /** Addresses of the project's own files from which packages come: hosts in lower case. */
  readonly hosts: readonly string[];
}

export type Ecosystem = 'python' | 'javascript';

/**
 * Where a session finds each part. A virtual environment holds its own path and so has one place for ever. Packages of
 * JavaScript lie at the root: Node looks for `node_modules` in every folder above a file, and the root is above the
 * project as well as above every copy of it.
 */
export const dependencyFolders: Readonly<Record<Ecosystem, string>> = {
  python: '/deps/python',
  javascript: '/node_modules',
};

/** Raised when what is done around the commands changes, so that older volumes are made again. */
export const preparationVersion = 1;

/** The files at the top of a project as far as they were read: relative path and text. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** What the settings say of one project. */
export interface OwnSetup {
  readonly python?: string | undefined;
  readonly javascript?: string | undefined;
}
