import { hasNoFolder, keyOfRecord } from './project-keys.ts';
import type { ProjectChoices, ProjectIcon } from './project-record.ts';

export interface ListedProject {
  /** Its key: the full path of the folder, or `project:ID` for a project without one. */
  readonly path: string;
  /** As the user named it, else as its folder. */
  readonly name: string;
  readonly icon: ProjectIcon | null;
  /** Null: nothing was said about it yet. */
  readonly id: string | null;
  readonly folder: string | null;
  readonly sessions: number;
  /** When something last happened in it, in milliseconds since 1970; null when nothing has. */
  readonly lastAt: number | null;
}

interface OneSession {
  readonly project: string | null;
  readonly updatedAt: number;
}

/** Projects with sessions, added folders and projects of the user: latest first, then those without a session. */
export function listProjects(
  sessions: readonly OneSession[],
  { added, removed, records }: ProjectChoices,
): readonly ListedProject[] {
  const own = Object.entries(records).map(([id, { name, icon, folder }]): ListedProject => {
    const path = keyOfRecord(id, { folder });
    return { path, name: projectLabel({ name, key: path }), icon, id, folder, sessions: 0, lastAt: null };
  });
  const found = new Map<string, ListedProject>([
    ...added.map((path) => [path, listedFolder(path)] as const),
    ...own.map((one) => [one.path, one] as const),
  ]);
  for (const { project: path, updatedAt } of sessions) {
    if (path === null) continue;
    const before = found.get(path) ?? listedFolder(path);
    const lastAt = Math.max(before.lastAt ?? 0, updatedAt);
    found.set(path, { ...before, sessions: before.sessions + 1, lastAt });
  }
  const kept = new Set([...added, ...own.filter(({ folder }) => folder === null).map(({ path }) => path)]);
  const since = ({ lastAt, id }: ListedProject): number =>
    Math.max(lastAt ?? 0, id === null ? 0 : (records[id]?.createdAt ?? 0));
  return [...found.values()]
    .filter((one) => kept.has(one.path) || since(one) > (removed[one.path] ?? -1))
    .sort((left, right) => (right.lastAt ?? 0) - (left.lastAt ?? 0));
}

type NamedProject = Pick<ListedProject, 'path' | 'name'>;

/** What projects are called beside each other, by their keys: one whose name is shared says where it lies, too. */
export function namesApart(projects: readonly NamedProject[]): ReadonlyMap<string, string> {
  const sharing = new Map<string, NamedProject[]>();
  for (const one of projects) sharing.set(one.name, [...(sharing.get(one.name) ?? []), one]);
  return new Map(
    [...sharing.values()].flatMap((same) =>
      same.map((one): [string, string] => [
        one.path,
        same.length === 1 ? one.name : `${one.name} (${placeOf(one, same)})`,
      ]),
    ),
  );
}

/** The shortest end of its place that no other one has: `work` for `/home/ada/work/shop`. */
function placeOf(project: NamedProject, same: readonly NamedProject[]): string {
  const own = foldersAbove(project);
  const others = same.filter(({ path }) => path !== project.path).map(foldersAbove);
  const end = (all: readonly string[], count: number): string => all.slice(-count).join('/');
  for (let count = 1; count < own.length; count += 1) {
    if (others.every((all) => end(all, count) !== end(own, count))) return end(own, count);
  }
  return hasNoFolder(project.path) ? project.path.slice(project.path.indexOf(':') + 1) : project.path;
}

/** Without the last part where that is the name. */
function foldersAbove({ path, name }: NamedProject): readonly string[] {
  const parts = path.split(/[/\\]/u);
  return parts.at(-1) === name ? parts.slice(0, -1) : parts;
}

/** How a project is called. */
export function projectLabel({ name, key }: { readonly name: string | null; readonly key: string }): string {
  if (name !== null) return name;
  const parts = key.split(/^(?:[A-Za-z]:|\\\\)/u.test(key) ? /[/\\]/u : '/');
  return parts.findLast((part) => part !== '') ?? key;
}

/** A folder about which nothing was said, and in which nothing happened yet. */
export function listedFolder(path: string): ListedProject {
  return {
    path,
    name: projectLabel({ name: null, key: path }),
    icon: null,
    id: null,
    folder: path,
    sessions: 0,
    lastAt: null,
  };
}
