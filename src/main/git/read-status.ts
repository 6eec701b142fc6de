import type { GitStatus, StatusEntry } from '@shared/git/git-report.ts';
import { currentBranch, loadGit } from './load-git.ts';
import { readIndex, type IndexNotes } from './read-index.ts';
import type { Repository } from './repository.ts';

const mostEntries = 2_000;
/** In which file git notes that something is half done. */
const halfDone = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
] as const;

const none: IndexNotes = { conflicts: new Set(), leftOut: new Set(), submodules: [] };

/** The state of the checkout: what differs from the last commit, and what a person should know first. */
export async function readStatus(repository: Repository): Promise<GitStatus> {
  const git = await loadGit();
  const { files } = repository;
  const head = await currentBranch(repository);
  const index = await files.readFile('/git/index').catch(missing);
  const notes = Buffer.isBuffer(index) ? readIndex(index) : none;
  const rows = await git.statusMatrix({ ...repository.git, refresh: false });
  const entries = rows.flatMap(([path, inHead, inTree, inIndex]): readonly StatusEntry[] => {
    if (notes.conflicts.has(path) || notes.leftOut.has(path)) return [];
    const kind = kindOf(inHead, inTree, inIndex);
    return kind === null ? [] : [{ path, kind, isStaged: inIndex !== inHead }];
  });
  const conflicts = [...notes.conflicts].map((path) => ({ path, kind: 'conflict', isStaged: false }) as const);
  const all = [...conflicts, ...entries];
  return {
    ...head,
    entries: all.slice(0, mostEntries),
    leftOut: Math.max(0, all.length - mostEntries),
    notes: await notesOf(repository, notes),
  };
}

/** The library's numbers: 0 is absent, 1 is as in HEAD, 2 and 3 differ. */
function kindOf(inHead: number, inTree: number, inIndex: number): StatusEntry['kind'] | null {
  if (inHead === 1 && inTree === 1 && inIndex === 1) return null;
  if (inHead === 0 && inTree === 0 && inIndex === 0) return null;
  if (inHead === 0) return inIndex === 0 ? 'untracked' : inTree === 0 ? 'deleted' : 'added';
  return inTree === 0 ? 'deleted' : 'modified';
}

/** What git has begun in this checkout and not ended: `a merge`. */
export async function halfDoneWork(files: Repository['files']): Promise<string[]> {
  const found: string[] = [];
  for (const [name, what] of halfDone)
    if ((await files.lstat(`/git/${name}`).catch(missing)) !== null) found.push(what);
  return found;
}

async function notesOf({ files, isShallow, elsewhere }: Repository, { leftOut, submodules }: IndexNotes) {
  const notes = (await halfDoneWork(files)).map((what) => `Git is in the middle of ${what}.`);
  if (submodules.length > 0)
    notes.push(`Submodules are repositories of their own and not looked into: ${submodules.slice(0, 5).join(', ')}.`);
  if (leftOut.size > 0) notes.push(`A sparse checkout: ${leftOut.size} files are left out on purpose.`);
  if (isShallow) notes.push('A shallow clone: older commits are only at the remote.');
  if (elsewhere === 'borrowed') notes.push('Some objects are borrowed from another repository, which is not read.');
  if (elsewhere === 'partial') notes.push('A partial clone: old contents may be only at the remote.');
  const attributes = await files.readFile('/tree/.gitattributes', 'utf8').catch(missing);
  if (typeof attributes === 'string' && /\bfilter=lfs\b/u.test(attributes))
    notes.push('Some files are in Git LFS: git keeps a pointer, so they may show as modified here.');
  return notes;
}

const missing = (): null => null;
