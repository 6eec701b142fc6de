import { randomBytes } from 'node:crypto';

/**
 * The temporary files of writes that are running. A look at the workspace leaves them out by this list and not by
 * the form of their names. So a command cannot hide a file by giving it such a name.
 */
export class WritesUnderWay {
  readonly #names = new Set<string>();
  /** For each running look, the names to leave out, including those whose write has ended since. */
  readonly #looks = new Set<Set<string>>();

  /** Runs a write with a name for its temporary file. */
  async during<T>(write: (temporary: string) => Promise<T>): Promise<T> {
    const name = `${temporaryPrefix}${randomBytes(8).toString('hex')}`;
    for (const names of [this.#names, ...this.#looks]) names.add(name);
    try {
      return await write(name);
    } finally {
      this.#names.delete(name);
    }
  }

  /** Runs a look at the workspace. `isOurs` says whether a file is the temporary file of a write during the look. */
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
 * Folders whose contents are neither listed nor tracked for changes. Tools make them and can make them again, and
 * they may contain more files than everything else. `.git` is there for commands, not for file tools.
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

/** Names that are a virtual environment only if the folder contains `pyvenv.cfg`. */
export const maybeEnvironments = ['venv', 'env'] as const;

/**
 * The prefix of temporary files beside the target of a write. They exist for a moment, or longer if everything is
 * killed in that moment. No file is left out of a list just for this name, because a command can use it, too.
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
