import { randomBytes } from 'node:crypto';

/**
 * The temporary files of writes under way. A look at the workspace that meets one leaves it out, by this list and not by
 * the form of its name: a command that takes such a name for a file of its own hides nothing.
 */
export class WritesUnderWay {
  readonly #names = new Set<string>();
  /** What each look that goes on has to leave out: also what ended meanwhile. */
  readonly #looks = new Set<Set<string>>();

  /** Does a write that needs a name for its temporary file. */
  async during<T>(write: (temporary: string) => Promise<T>): Promise<T> {
    const name = `${temporaryPrefix}${randomBytes(8).toString('hex')}`;
    for (const names of [this.#names, ...this.#looks]) names.add(name);
    try {
      return await write(name);
    } finally {
      this.#names.delete(name);
    }
  }

  /** Looks at the workspace. `isOurs`, for what was found: whether a file is the temporary one of a write meanwhile. */
  async around<T>(look: (isOurs: (path: string) => boolean) => Promise<T>): Promise<T> {
    const names = new Set(this.#names);
    this.#looks.add(names);
    try {
      return await look((path) => names.has(path.slice(path.lastIndexOf('/') + 1)));
    } finally {
      this.#looks.delete(names);
    }
  }
}

/**
 * Folders whose contents are neither listed nor tracked for changes: they are made by tools, can be made again,
 * and may hold more files than everything else. `.git` is there for commands, not for file tools.
 */
export const skippedFolders = [
  '.git',
  'node_modules',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.tox',
  '.nox',
] as const;

/** Names that are a virtual environment only when there is a `pyvenv.cfg` in them. */
export const maybeEnvironments = ['venv', 'env'] as const;

/**
 * Files that a write leaves for an instant beside its target, or for good when everything was killed in that instant.
 * Nothing is left out of a list for this name alone: a command can give it to a file of its own.
 */
export const temporaryPrefix = '.dewpoint-write-';

const skipped = new Set<string>(skippedFolders);

export function isSkippedFolder(name: string): boolean {
  return skipped.has(name);
}

export function isMaybeEnvironment(name: string): boolean {
  return maybeEnvironments.some((one) => one === name);
}

export const skippedText = `Changes are not tracked in ${skippedFolders.join(', ')} and Python environments; links and empty folders are not tracked.`;
