import { AppError } from '@shared/errors.ts';
import { foldedName, isGitName, nameProblem } from '../../lib/files/host-folder.ts';
import { loadGit } from '../load-git.ts';
import type { Repository } from '../repository.ts';

/** One file of a commit that was looked at. */
export interface TreeFile {
  /** From the top, with `/`. Every name in it can be created, and is inside of the folder. */
  readonly path: string;
  readonly oid: string;
  readonly kind: 'file' | 'program' | 'link' | 'submodule';
}

export const mostFiles = 250_000;
/** Each folder is counted where it is, so that one that holds itself many times ends the look. */
const mostFolders = 100_000;
const longestPath = 4_000;
const deepest = 200;

/** Git reads these without a look at what they are. */
const neverLinks = /^\.(?:git(?:modules|attributes|ignore)|mailmap)$/u;

const kinds: Readonly<Record<string, TreeFile['kind']>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'program',
  '120000': 'link',
  '160000': 'submodule',
};

/** How a file differs between two trees. Null: it is not there. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeFile | null;
  readonly after: TreeFile | null;
}

interface LookOptions {
  /** The file system does not tell capital letters apart. */
  readonly isCaseBlind: boolean;
  readonly platform?: NodeJS.Platform;
}

/**
 * All files of a tree, before any of them is written. A name that leads out of the folder or into `.git`, that the file
 * system takes for another one or cannot hold, refuses the whole tree.
 */
export async function lookAtTree(
  repository: Repository,
  tree: string,
  options: LookOptions,
): Promise<readonly TreeFile[]> {
  const changes = await lookAtChanges(repository, { from: null, to: tree }, options);
  return changes.flatMap(({ after }) => after ?? []);
}

/** The files that differ between two trees, with the same look at every name beside them. */
export async function lookAtChanges(
  repository: Repository,
  trees: { readonly from: string | null; readonly to: string },
  { isCaseBlind, platform = process.platform }: LookOptions,
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = [];
  let folders = 0;
  // The same folder may be there many times, and is read once.
  const read = new Map<string, readonly RawEntry[]>();
  const entriesAt = async (oid: string | null): Promise<readonly RawEntry[]> => {
    if (oid === null) return [];
    const known = read.get(oid) ?? [...entriesOf(await treeBytes(repository, oid))];
    read.set(oid, known);
    return known;
  };
  const fileOf = (entry: RawEntry | null, path: string): TreeFile | null => {
    if (entry === null || entry.mode === '40000') return null;
    const kind = kinds[entry.mode];
    if (kind === undefined) throw unsafe(path, `its mode is ${entry.mode.slice(0, 10)}`);
    if (kind === 'link' && neverLinks.test(foldedName(entry.name))) throw unsafe(path, 'it is a link');
    return { path, oid: entry.oid, kind };
  };
  const look = async (from: string | null, to: string | null, above: readonly string[]): Promise<void> => {
    folders += 1;
    if (folders > mostFolders) throw tooMany(`more than ${mostFolders.toLocaleString('en')} folders`);
    if (above.length > deepest) throw tooMany(`more than ${deepest} folders inside each other`);
    const [old, next] = [byName(await entriesAt(from)), await entriesAt(to)];
    checkNames(next, above, { isCaseBlind, platform });
    const pairs = next.map((entry) => ({ name: entry.name, before: old.get(entry.name) ?? null, after: entry }));
    for (const { name } of next) old.delete(name);
    checkNames([...old.values()], above, { isCaseBlind: false, platform });
    const gone = [...old.values()].map((entry) => ({ name: entry.name, before: entry, after: null }));
    for (const { name, before, after } of [...pairs, ...gone]) {
      if (before?.oid === after?.oid && before?.mode === after?.mode) continue;
      const names = [...above, name];
      const path = names.join('/');
      const [left, right] = [fileOf(before, path), fileOf(after, path)];
      if (left !== null || right !== null) changes.push({ path, before: left, after: right });
      if (changes.length > mostFiles) throw tooMany(`more than ${mostFiles.toLocaleString('en')} files`);
      const [leftTree, rightTree] = [treeOf(before), treeOf(after)];
      if (leftTree !== null || rightTree !== null) await look(leftTree, rightTree, names);
    }
  };
  await look(trees.from, trees.to, []);
  return changes;
}

const treeOf = (entry: RawEntry | null): string | null => (entry?.mode === '40000' ? entry.oid : null);

const byName = (entries: readonly RawEntry[]): Map<string, RawEntry> =>
  new Map(entries.map((entry) => [entry.name, entry]));

function checkNames(
  entries: readonly RawEntry[],
  above: readonly string[],
  { isCaseBlind, platform }: Required<LookOptions>,
): void {
  const seen = new Map<string, string>();
  for (const { name, bytes } of entries) {
    const path = [...above, name].join('/');
    const problem =
      problemOf(name, bytes, platform) ?? (Buffer.byteLength(path) > longestPath ? 'it is too long' : null);
    if (problem !== null) throw unsafe(path, problem);
    const same = isCaseBlind ? foldedName(name) : name;
    const other = seen.get(same);
    if (other !== undefined) throw unsafe(path, twice(name, other));
    seen.set(same, name);
  }
}

/** The bytes of a tree as they are. The library's own reading of names is not relied on. */
async function treeBytes(repository: Repository, oid: string): Promise<Buffer> {
  const git = await loadGit();
  const { type, object } = await git.readObject({ ...repository.git, oid, format: 'content' });
  if (type !== 'tree' || !(object instanceof Uint8Array)) throw damaged();
  return Buffer.from(object);
}

interface RawEntry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mode: string;
  readonly oid: string;
}

function* entriesOf(tree: Buffer): Iterable<RawEntry> {
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space + 1);
    if (space < 0 || end < 0 || end + 21 > tree.length) throw damaged();
    const bytes = tree.subarray(space + 1, end);
    const mode = tree.toString('latin1', at, space).replace(/^0/u, '');
    yield { name: bytes.toString(), bytes, mode, oid: tree.toString('hex', end + 1, end + 21) };
    at = end + 21;
  }
}

function problemOf(name: string, bytes: Buffer, platform: NodeJS.Platform): string | null {
  if (isGitName(name)) return 'git on this machine would run what is in it';
  if (name.includes('\\')) return 'it holds a backslash, which some systems read as a folder';
  if (!Buffer.from(name).equals(bytes)) return 'it is not valid text';
  return nameProblem(name, platform);
}

const twice = (name: string, other: string): string =>
  name === other ? 'it is there twice' : `this file system takes it for ${JSON.stringify(other.slice(0, 100))}`;

function unsafe(path: string, why: string): AppError {
  return new AppError(
    'refused',
    `The repository has a name that is not safe here, ${JSON.stringify(path.slice(0, 200))}: ${why}.`,
    {
      hint: 'If you trust it, clone it with your own git, and open the folder.',
    },
  );
}

const damaged = (): AppError => new AppError('bad-input', 'The repository is damaged: a folder in it cannot be read.');

function tooMany(what: string): AppError {
  return new AppError('too-large', `The repository has ${what}, which is more than Dewpoint writes.`, {
    hint: 'Clone it with your own git, and open the folder.',
  });
}
