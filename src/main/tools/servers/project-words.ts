import type { ProjectTools } from '@shared/tools/server-definition.ts';

/** Which servers and tools single projects switch on or off, by project folder. */
export interface ProjectWords {
  readonly projects: () => Readonly<Record<string, ProjectTools>>;
  /** Null removes all settings of the project. */
  readonly saveProject: (projectPath: string, own: ProjectTools | null) => Promise<void>;
}

/** The settings of one project. Empty if there are none. */
export function ownOf(
  { projects }: Pick<ProjectWords, 'projects'>,
  projectPath: string | null | undefined,
): ProjectTools {
  const all = projects();
  return typeof projectPath === 'string' && Object.hasOwn(all, projectPath) ? (all[projectPath] ?? {}) : {};
}

/** Saves the settings of a project. `of` gives the value of each key; null removes the key. */
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

/** Saves one setting of a project. Null: the general setting counts. */
export async function saveWord(
  words: ProjectWords,
  projectPath: string,
  { key: changed, isOn }: { readonly key: string; readonly isOn: boolean | null },
): Promise<void> {
  const own = ownOf(words, projectPath);
  await saveOwn(words, projectPath, (key) => (key === changed ? isOn : (own[key] ?? null)), [changed]);
}
