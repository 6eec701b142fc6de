import { foldedName, isGitName } from '../../../lib/files/host-folder.ts';
import type { EntryKind } from '../../files/entry-kind.ts';

/**
 * Whether git treats a folder as a repository. Only these names matter, wherever the folder is: `.git`, a bare
 * repository, the data of a submodule, or that of a worktree (which has `commondir` instead of the rest). If a
 * repository is likely, a configuration alone counts, because a later command can add what is missing. `path` is in
 * the form of `folder-names.ts`.
 */
export function isRepositoryData(path: string, entries: ReadonlyMap<string, EntryKind>): boolean {
  const found = new Set<string>();
  for (const name of entries.keys()) if (mayBeData.test(name)) found.add(foldedName(name));
  if (found.has('head') && (found.has('commondir') || (found.has('objects') && found.has('refs')))) return true;
  return found.has('config') && /(^|\/)\.git(\/modules\/.+)?$/i.test(path);
}

/** How these names begin. It rules out most names quickly. Marks that some file systems ignore make a name longer. */
const mayBeData = /^[hHoOrRcC\u0080-\uffff].{0,38}$/su;

/**
 * Names that point to a repository: a `.git` file or link, in any spelling that some file system treats as the same.
 */
export function pointersIn(entries: ReadonlyMap<string, EntryKind>): readonly string[] {
  // The first character rules out most names quickly, because the whole check takes time.
  return [...entries].flatMap(([name, kind]) =>
    kind !== 'folder' && /^[.gG\u0080-\uffff]/.test(name) && name.length < 40 && isGitName(name) ? [name] : [],
  );
}

/**
 * Files in a repository's data, other than `config` and `hooks`, that redirect git or tell it what to run. They are
 * rare. Those that a command makes are removed.
 */
export const redirects = [
  'config.worktree',
  'commondir',
  'info/attributes',
  'objects/info/alternates',
  'objects/info/http-alternates',
] as const;

/**
 * Folders that contain some of these, and what a rebase runs. A link in their place would lead to an unchecked
 * folder.
 */
export const linkedFolders = ['info', 'objects/info', 'rebase-merge'] as const;

/** Folders in which git used to keep addresses, and still looks for them. Every name in them is one. */
export const addressFolders = ['remotes', 'branches'] as const;

/** The remaining steps of a rebase. `git rebase --continue` runs its `exec` lines. */
export const todoFile = 'rebase-merge/git-rebase-todo';

/** Removes lines that run a program from the steps of a rebase, except lines that were in `before`. */
export function withoutPrograms(todo: string, before: string): string {
  const known = new Set(before.split('\n'));
  const runs = /^\s*(x|exec)(\s|$)/;
  return todo
    .split('\n')
    .filter((line) => !runs.test(line) || known.has(line))
    .join('\n');
}
