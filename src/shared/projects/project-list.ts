/** What a person said about the list of projects. */
export interface ProjectChoices {
  /** Folders that were added, worked on or not. */
  readonly added: readonly string[];
  /** When a folder was taken out, in ms since 1970: what was done in it before does not bring it back. */
  readonly removed: Readonly<Record<string, number>>;
}

export interface ListedProject {
  /** The whole path of the folder. */
  readonly path: string;
  readonly sessions: number;
  /** When something last happened in it, in ms since 1970; null: nothing yet. */
  readonly lastAt: number | null;
}

interface OneSession {
  readonly projectPath: string | null;
  readonly updatedAt: number;
}

/** The folders that sessions work on, and those that were added: the latest first, then those without a session. */
export function listProjects(
  sessions: readonly OneSession[],
  { added, removed }: ProjectChoices,
): readonly ListedProject[] {
  const found = new Map<string, ListedProject>(added.map((path) => [path, { path, sessions: 0, lastAt: null }]));
  for (const { projectPath: path, updatedAt } of sessions) {
    if (path === null) continue;
    const before = found.get(path);
    const lastAt = Math.max(before?.lastAt ?? 0, updatedAt);
    found.set(path, { path, sessions: (before?.sessions ?? 0) + 1, lastAt });
  }
  return [...found.values()]
    .filter(({ path, lastAt }) => added.includes(path) || (lastAt ?? 0) > (removed[path] ?? -1))
    .sort((left, right) => (right.lastAt ?? 0) - (left.lastAt ?? 0));
}
