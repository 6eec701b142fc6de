import { isGitName } from '../../../lib/files/host-folder.ts';
import type { EntryKind } from '../../files/entry-kind.ts';

/**
 * Git takes a folder for a repository by these names alone, wherever it lies: `.git`, a bare one, the data of a submodule
 * or of a worktree (which has `commondir` in place of the rest). Where one is to be expected a configuration is enough: a
 * later command can add what is missing. `path`: see `folder-names.ts`.
 */
export function isRepositoryData(path: string, entries: ReadonlyMap<string, EntryKind>): boolean {
  const found = new Set<string>();
  for (const name of entries.keys()) if (name.length <= 'commondir'.length) found.add(name.toLowerCase());
  if (found.has('head') && (found.has('commondir') || (found.has('objects') && found.has('refs')))) return true;
  return found.has('config') && /(^|\/)\.git(\/modules\/.+)?$/i.test(path);
}

/** What points to a repository: a `.git` file or link, in any spelling that some file system takes for it. */
export function pointersIn(entries: ReadonlyMap<string, EntryKind>): readonly string[] {
  // Most names are out by their first character: the whole question takes its time.
  return [...entries].flatMap(([name, kind]) =>
    kind !== 'folder' && /^[.gG\u0080-\uffff]/.test(name) && name.length < 40 && isGitName(name) ? [name] : [],
  );
}

/**
 * Files in the data of a repository that send git elsewhere or tell it what to run, beside `config` and `hooks`. They are
 * rare; what a command makes of them is taken away.
 */
export const redirects = [
  'config.worktree',
  'commondir',
  'info/attributes',
  'objects/info/alternates',
  'objects/info/http-alternates',
] as const;

/** Folders that hold some of these, and what a rebase runs. As a link one would lead to another, which nobody looks at. */
export const linkedFolders = ['info', 'objects/info', 'rebase-merge'] as const;

/** Folders in which git looked for addresses in the past, and still does. Every name in them is one. */
export const addressFolders = ['remotes', 'branches'] as const;

/** What is left to do of a rebase; its `exec` lines are run by `git rebase --continue`. */
export const todoFile = 'rebase-merge/git-rebase-todo';

/** Takes the lines out of a rebase's list that run a program, but for those that stood in `before`. */
export function withoutPrograms(todo: string, before: string): string {
  const known = new Set(before.split('\n'));
  const runs = /^\s*(x|exec)(\s|$)/;
  return todo
    .split('\n')
    .filter((line) => !runs.test(line) || known.has(line))
    .join('\n');
}
