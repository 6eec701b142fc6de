import type { FileCalls } from '../../lib/files/file-calls.ts';
import { foldedName } from '../../lib/files/host-folder.ts';
import type { TreeChange, TreeFile } from '../clone/look-at-tree.ts';
import { indexEntries, type IndexEntry } from '../read-index.ts';
import { filesBelow, lookAtDisk, type OnDisk } from './look-at-disk.ts';

/** A file that becomes another one. Nothing of it is the person's alone. */
export interface PlannedChange extends TreeChange {
  /** What is on the disk now: the file of the old commit, that of the new one, or nothing. */
  readonly found: 'before' | 'after' | 'missing';
}

export interface Blocker {
  readonly path: string;
  /** Goes after the path. */
  readonly why: string;
}

interface PlanOptions {
  readonly index: Buffer;
  readonly isCaseBlind: boolean;
  /** Git notes whether a file can be run. */
  readonly hasModes: boolean;
  readonly hasLinks: boolean;
  readonly calls: FileCalls;
}

const mostBelow = 10_000;
export const gitModes = { file: 0o100644, program: 0o100755, link: 0o120000, submodule: 0o160000 } as const;

/** What has to be done to the files, or which of them the person has in another form. Reads only. */
export async function planFiles(
  tree: string,
  changes: readonly TreeChange[],
  options: PlanOptions,
): Promise<{ readonly planned: readonly PlannedChange[]; readonly blockers: readonly Blocker[] }> {
  const entries = new Map([...indexEntries(options.index)].map((entry) => [entry.path, entry]));
  const leaving = changes.filter(({ before, after }) => before !== null && after === null);
  const gone = new Set(leaving.map(({ path }) => path));
  const goneFolded = new Set(options.isCaseBlind ? leaving.map(({ path }) => foldedPath(path)) : []);
  const planned: PlannedChange[] = [];
  const blockers: Blocker[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    const staged = stagedOtherwise(entries.get(path) ?? null, change);
    if (staged !== null) {
      blockers.push({ path, why: staged });
      continue;
    }
    let disk = await lookAtDisk(tree, path, options.calls);
    if (disk.type === 'blocked' && gone.has(disk.by)) disk = { type: 'missing' };
    // The file that is found by the other case is one that goes first.
    if (before === null && disk.type === 'file' && goneFolded.has(foldedPath(path)) && !gone.has(path))
      disk = { type: 'missing' };
    const found = await judge(tree, { path, before, after }, { disk, gone, entry: entries.get(path) ?? null, options });
    if (typeof found === 'string') planned.push({ ...change, found });
    else blockers.push({ path, why: found.why });
  }
  return { planned, blockers };
}

const foldedPath = (path: string): string => path.split('/').map(foldedName).join('/');

function stagedOtherwise(entry: IndexEntry | null, { before, after }: TreeChange): string | null {
  const isAs = (file: TreeFile | null): boolean =>
    file === null ? entry === null : entry?.oid === file.oid && entry.mode === gitModes[file.kind];
  if (isAs(before) || isAs(after)) return null;
  return entry === null ? 'you staged that it is deleted' : 'you staged another form of it';
}

type Judged = PlannedChange['found'] | { readonly why: string };

interface Seen {
  readonly disk: OnDisk;
  readonly gone: ReadonlySet<string>;
  readonly entry: IndexEntry | null;
  readonly options: PlanOptions;
}

async function judge(tree: string, { path, before, after }: TreeChange, seen: Seen): Promise<Judged> {
  const { disk, gone, options } = seen;
  if (disk.type === 'blocked') return { why: `${disk.by} is in its way` };
  if (before?.kind === 'submodule') {
    // Its files are those of another repository, which stays.
    if (after === null || after.kind === 'submodule') return 'missing';
    return disk.type === 'missing' ? 'missing' : { why: 'the folder of a submodule is in its way' };
  }
  if (after?.kind === 'submodule' && before === null)
    return disk.type === 'missing' || disk.type === 'folder' ? 'missing' : { why: 'a file of yours is in its way' };
  if (disk.type === 'missing')
    return before === null || after === null ? 'missing' : { why: 'you deleted or renamed it' };
  if (disk.type === 'folder') return before === null ? folderInTheWay(tree, path, gone) : { why: 'it is a folder now' };
  if (disk.type === 'other') return { why: 'it is no file' };
  if (before !== null && isSameFile(disk, before, options)) return 'before';
  if (after !== null && isSameFile(disk, after, options)) return 'after';
  if (before === null) return { why: 'a file of yours is in its way' };
  return {
    why:
      disk.oid !== before.oid && isCleanForGit(disk, seen.entry)
        ? 'git keeps it in another form here'
        : 'you changed it',
  };
}

function isSameFile(
  disk: Extract<OnDisk, { type: 'file' | 'link' }>,
  file: TreeFile,
  { hasModes, hasLinks }: PlanOptions,
): boolean {
  if (disk.oid !== file.oid) return false;
  if (file.kind === 'link') return disk.type === 'link' || !hasLinks;
  if (disk.type !== 'file') return false;
  return !hasModes || ((disk.entry.mode & 0o100n) !== 0n) === (file.kind === 'program');
}

/** Line ends, a filter such as Git LFS: git takes the file for unchanged, and its bytes are others. */
function isCleanForGit(
  { entry: found }: Extract<OnDisk, { type: 'file' | 'link' }>,
  entry: IndexEntry | null,
): boolean {
  if (entry === null) return false;
  const { seconds, nanoseconds, size } = entry.written;
  const isTime = Number(BigInt.asUintN(32, found.mtimeNs / 1_000_000_000n)) === seconds;
  const isFine = nanoseconds === 0 || Number(found.mtimeNs % 1_000_000_000n) === nanoseconds;
  return isTime && isFine && Number(BigInt.asUintN(32, found.size)) === size;
}

/** A folder goes if all that is in it goes. */
async function folderInTheWay(tree: string, path: string, gone: ReadonlySet<string>): Promise<Judged> {
  const below = await filesBelow(tree, path, mostBelow);
  const [other] = below === null ? [path] : below.filter((one) => !gone.has(one));
  return other === undefined && below !== null && below.length > 0
    ? 'missing'
    : { why: `${other ?? path} is in its way` };
}
