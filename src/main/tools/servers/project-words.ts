import type { ProjectTools } from '@shared/tools/server-definition.ts';

/** What single projects say themselves of servers and tools, by their folder. */
export interface ProjectWords {
  readonly projects: () => Readonly<Record<string, ProjectTools>>;
  /** Null: it has nothing of its own. */
  readonly saveProject: (projectPath: string, own: ProjectTools | null) => Promise<void>;
}

/** What a project says itself. */
export function ownOf(
  { projects }: Pick<ProjectWords, 'projects'>,
  projectPath: string | null | undefined,
): ProjectTools {
  const all = projects();
  return typeof projectPath === 'string' && Object.hasOwn(all, projectPath) ? (all[projectPath] ?? {}) : {};
}

/** Keeps what a project says itself, each word as `of` gives it; null: that one is left out. */
export async function saveOwn(
  words: ProjectWords,
  projectPath: string,
  of: (key: string) => boolean | null,
  more: readonly string[] = [],
): Promise<void> {
  const before = ownOf(words, projectPath);
  const keys = [...new Set([...Object.keys(before), ...more])];
  const after = keys.flatMap((key) => {
    const word = of(key);
    return word === null ? [] : [[key, word] as const];
  });
  const isSame = after.length === Object.keys(before).length && after.every(([key, word]) => before[key] === word);
  if (!isSame) await words.saveProject(projectPath, after.length === 0 ? null : Object.fromEntries(after));
}

/** Keeps one word of a project; null: it goes by the general one. */
export async function saveWord(
  words: ProjectWords,
  projectPath: string,
  { key: changed, isOn }: { readonly key: string; readonly isOn: boolean | null },
): Promise<void> {
  const own = ownOf(words, projectPath);
  await saveOwn(words, projectPath, (key) => (key === changed ? isOn : (own[key] ?? null)), [changed]);
}
