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
