/** The user's changes to the list of projects. */
export interface ProjectChoices {
  /** Folders that the user added, with or without a session. */
  readonly added: readonly string[];
  /** When a folder was removed, in milliseconds since 1970. Earlier sessions in it do not bring it back. */
  readonly removed: Readonly<Record<string, number>>;
}

export interface ListedProject {
  /** The full path of the folder. */
  readonly path: string;
  readonly sessions: number;
  /** When something last happened in it, in milliseconds since 1970; null when nothing has. */
  readonly lastAt: number | null;
}

interface OneSession {
  readonly projectPath: string | null;
  readonly updatedAt: number;
}

/** Folders with sessions and added folders: latest first, then those without a session. */
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
