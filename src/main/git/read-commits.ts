import type { ReadCommitResult } from 'isomorphic-git';
import { AppError } from '@shared/errors.ts';
import type { AuthoredLine, GitCommit, GitFileDiff, GitReport } from '@shared/git/git-report.ts';
import { currentBranch, loadGit } from './load-git.ts';
import type { Repository } from './repository.ts';

/** Makes the diff of one file. Null: it does not exist on that side. */
export type DiffFile = (
  path: string,
  before: Uint8Array | null,
  after: Uint8Array | null,
) => { readonly text: string | null; readonly note: string | null };

const mostDiffs = 200;
/** So many commits are looked at for the history of one file. */
const mostFileCommits = 2_000;

/** The latest commits first. With a path: only those that changed it. */
export async function readLog(
  repository: Repository,
  {
    ref = 'HEAD',
    path,
    limit,
  }: { readonly ref?: string | undefined; readonly path?: string | undefined; readonly limit: number },
): Promise<Extract<GitReport, { type: 'log' }>> {
  const git = await loadGit();
  if (ref === 'HEAD' && (await currentBranch(repository)).commit === null)
    return { type: 'log', commits: [], hasMore: false, note: 'There are no commits yet.' };
  const depth = path === undefined ? limit + 1 : mostFileCommits;
  const oid = await commitAt(repository, ref);
  const found = await git.log({
    ...repository.git,
    ref: oid,
    depth,
    ...(path === undefined ? {} : { filepath: path, force: true, follow: true }),
  });
  const end = repository.isShallow ? 'A shallow clone: older commits are only at the remote.' : null;
  const none = path !== undefined && found.length === 0 ? `No commit changed ${path}.` : null;
  const note = found.length > limit ? null : (end ?? none);
  return { type: 'log', commits: found.slice(0, limit).map(commitOf), hasMore: found.length > limit, note };
}

/** One commit and what it changed since its first parent; with `path`, in this file or folder alone. */
export async function showCommit(
  repository: Repository,
  { ref, path }: { readonly ref: string; readonly path?: string | undefined },
  diff: DiffFile,
): Promise<Extract<GitReport, { type: 'show' }>> {
  const git = await loadGit();
  const commit = commitOf(await git.readCommit({ ...repository.git, oid: await commitAt(repository, ref) }));
  const [parent] = commit.parents;
  const isHere =
    parent !== undefined &&
    (await git.readCommit({ ...repository.git, oid: parent }).then(
      () => true,
      () => false,
    ));
  const changes = await diffTrees(repository, isHere ? parent : null, { to: commit.id, diff, path });
  return { type: 'show', commit, ...changes };
}

/** What differs between two commits, or between a commit and the files as they are. */
export async function readDiff(
  repository: Repository,
  { from, to, path }: { readonly from: string; readonly to: string | null; readonly path?: string | undefined },
  diff: DiffFile,
): Promise<Extract<GitReport, { type: 'diff' }>> {
  const git = await loadGit();
  const isEmpty = from === 'HEAD' && (await currentBranch(repository)).commit === null;
  const start = isEmpty ? null : await commitAt(repository, from);
  if (to !== null)
    return {
      type: 'diff',
      ...(await diffTrees(repository, start, { to: await commitAt(repository, to), diff, path })),
    };
  const rows = await git.statusMatrix({
    ...repository.git,
    ref: start ?? 'HEAD',
    refresh: false,
    ...(path === undefined ? {} : { filepaths: [path] }),
  });
  const changed = rows.filter(([, before, now, staged]) => now !== before && !(before === 0 && staged === 0));
  const files: GitFileDiff[] = [];
  for (const [name, before, now] of changed.slice(0, mostDiffs)) {
    const old = before === 0 || start === null ? null : await blobAt(repository, start, name);
    const current = now === 0 ? null : await fileNow(repository, name);
    files.push({ path: name, ...shown(diff(name, old, current)) });
  }
  return { type: 'diff', files, leftOut: Math.max(0, changed.length - mostDiffs) };
}

async function diffTrees(
  repository: Repository,
  from: string | null,
  { to, diff, path }: { readonly to: string; readonly diff: DiffFile; readonly path?: string | undefined },
): Promise<{ readonly files: readonly GitFileDiff[]; readonly leftOut: number }> {
  const git = await loadGit();
  const pairs: { readonly path: string; readonly from: string | null; readonly to: string | null }[] = [];
  await git.walk({
    ...repository.git,
    trees: [from === null ? git.TREE({ ref: to }) : git.TREE({ ref: from }), git.TREE({ ref: to })],
    map: async (name, [left, right]) => {
      if (name === '.') return name;
      if (path !== undefined && !isOnWay(name, path)) return null;
      const before = from === null ? null : left;
      const oids = [(await before?.oid()) ?? null, (await right?.oid()) ?? null] as const;
      // Equal folders have equal contents.
      if (oids[0] === oids[1]) return null;
      const types = [await before?.type(), await right?.type()];
      if (types.includes('tree')) return name;
      if (!types.includes('commit')) pairs.push({ path: name, from: oids[0], to: oids[1] });
      return null;
    },
  });
  const read = async (oid: string | null): Promise<Uint8Array | null> =>
    oid === null ? null : (await git.readBlob({ ...repository.git, oid })).blob;
  const files: GitFileDiff[] = [];
  for (const pair of pairs.slice(0, mostDiffs))
    files.push({ path: pair.path, ...shown(diff(pair.path, await read(pair.from), await read(pair.to))) });
  return { files, leftOut: Math.max(0, pairs.length - mostDiffs) };
}

const isOnWay = (name: string, path: string): boolean =>
  name === path || name.startsWith(`${path}/`) || path.startsWith(`${name}/`);

const shown = ({ text, note }: ReturnType<DiffFile>): Omit<GitFileDiff, 'path'> => ({ text, note });

type OriginsOf = (before: readonly string[], after: readonly string[]) => readonly (number | null)[];

/**
 * Who wrote each line of a file last, along the first parents. Without a `ref`, the lines are those of the file as it is,
 * and some may not be committed yet.
 */
export async function readAuthors(
  repository: Repository,
  { path, ref }: { readonly path: string; readonly ref?: string | undefined },
  originsOf: OriginsOf,
): Promise<Extract<GitReport, { type: 'blame' }>> {
  if (ref !== undefined) return committedAuthors(repository, { path, ref }, originsOf);
  const { lines: known, note } = await committedAuthors(repository, { path, ref: 'HEAD' }, originsOf);
  const now = await linesNow(repository, path);
  const goneText = 'The file is gone, or is no text now. These are its lines in the last commit.';
  if (now === null) return { type: 'blame', path, lines: known, note: joined(goneText, note) };
  const origins = originsOf(
    known.map(({ text }) => withoutReturn(text)),
    now.map(withoutReturn),
  );
  const lines = now.map((text, at): AuthoredLine => {
    const origin = known[origins[at] ?? -1];
    return origin === undefined ? { text, commit: null, author: 'not committed yet', at: null } : { ...origin, text };
  });
  const own = origins.filter((origin) => origin === null).length;
  const ownText = own === 1 ? '1 line is not committed yet.' : `${own} lines are not committed yet.`;
  return { type: 'blame', path, lines, note: joined(own === 0 ? null : ownText, note) };
}

/** Git may keep other line ends than the folder has. */
const withoutReturn = (line: string): string => line.replace(/\r$/u, '');

function joined(one: string | null, other: string | null): string | null {
  return one === null ? other : other === null ? one : `${one} ${other}`;
}

/** Null: there is no file of text now. */
async function linesNow(repository: Repository, path: string): Promise<readonly string[] | null> {
  const found = await repository.files.lstat(`/tree/${path}`).catch(() => null);
  const bytes = found?.isFile() === true ? await fileNow(repository, path) : null;
  return bytes === null || bytes.includes(0) ? null : linesOf(bytes);
}

async function committedAuthors(
  repository: Repository,
  { path, ref }: { readonly path: string; readonly ref: string },
  originsOf: OriginsOf,
): Promise<Extract<GitReport, { type: 'blame' }>> {
  const git = await loadGit();
  let oid: string | null = await commitAt(repository, ref);
  const lines = linesOf(await fileAt(repository, { oid, path, ref }));
  const blamed: (GitCommit | null)[] = lines.map(() => null);
  /** For each line of the version that is looked at: its place in the file of today. */
  let places: readonly (readonly [at: number, line: number])[] = lines.map((_, at) => [at, at]);
  let content = lines;
  for (let count = 0; oid !== null && places.length > 0 && count < mostFileCommits; count += 1) {
    const commit: GitCommit = commitOf(await git.readCommit({ ...repository.git, oid }));
    const parent: string | null = commit.parents[0] ?? null;
    const before = parent === null ? null : await blobAt(repository, parent, path).catch(() => null);
    const old = before === null ? [] : linesOf(before);
    const origins: readonly (number | null)[] = before === null ? [] : originsOf(old, content);
    const kept: (readonly [number, number])[] = [];
    for (const [at, line] of places) {
      const origin = origins[at] ?? null;
      if (origin === null) blamed[line] = commit;
      else kept.push([origin, line]);
    }
    places = kept;
    content = old;
    oid = parent;
  }
  const note = places.length === 0 ? null : `${places.length} lines are older than ${mostFileCommits} commits.`;
  return { type: 'blame', path, lines: lines.map((text, at) => lineOf(text, blamed[at] ?? null)), note };
}

function lineOf(text: string, commit: GitCommit | null): AuthoredLine {
  return { text, commit: commit?.id ?? null, author: commit?.author ?? '', at: commit?.at ?? null };
}

function linesOf(bytes: Uint8Array): readonly string[] {
  if (bytes.includes(0)) throw new AppError('bad-input', 'The file is binary, so its lines have no authors.');
  return new TextDecoder().decode(bytes).replace(/\n$/u, '').split('\n');
}

/** The bytes of a file in a commit. A name that is no file there is an error that says so. */
async function fileAt(
  repository: Repository,
  { oid, path, ref }: { readonly oid: string; readonly path: string; readonly ref: string },
): Promise<Uint8Array> {
  const { Errors } = await loadGit();
  return blobAt(repository, oid, path).catch((error: unknown) => {
    if (error instanceof Errors.ObjectTypeError && error.data.actual === 'tree')
      throw new AppError('bad-input', `${path} is a folder. Name a file in it.`);
    const isNoFile =
      error instanceof Errors.ObjectTypeError ||
      error instanceof Errors.InvalidFilepathError ||
      (error instanceof Errors.NotFoundError && error.data.what.endsWith(`:${path}"`));
    if (!isNoFile) throw error;
    throw new AppError('not-found', `${ref} has no file ${path}.`, {
      hint: 'A path begins at the top of the project: src/app.py',
    });
  });
}

/** The commit that a branch, a tag, HEAD~N or the beginning of an id names. */
export async function commitAt(repository: Repository, ref: string): Promise<string> {
  const git = await loadGit();
  const [, name = '', back = '0'] = /^(.*?)(?:~(\d{1,4})|(?:\^))?$/u.exec(ref) ?? [];
  let oid = await git
    .resolveRef({ ...repository.git, ref: name === '' ? 'HEAD' : name })
    .catch(() => git.expandOid({ ...repository.git, oid: name }))
    .catch(() => {
      if (['', 'HEAD'].includes(name)) throw new AppError('not-found', 'There are no commits yet.');
      throw new AppError('not-found', `No branch, tag or commit has the name ${name.slice(0, 100)}.`, {
        hint: 'See: dewpoint projects git branches',
      });
    });
  let steps = ref.endsWith('^') ? 1 : Number(back);
  for (;;) {
    const found = await git.readCommit({ ...repository.git, oid });
    if (steps === 0) return found.oid;
    const [parent] = found.commit.parent;
    if (parent === undefined) throw new AppError('not-found', `${ref} is before the first commit.`);
    oid = parent;
    steps -= 1;
  }
}

export async function blobAt(repository: Repository, oid: string, path: string): Promise<Uint8Array> {
  const git = await loadGit();
  return (await git.readBlob({ ...repository.git, oid, filepath: path })).blob;
}

async function fileNow({ files }: Repository, path: string): Promise<Uint8Array> {
  const found = await files.lstat(`/tree/${path}`);
  if (found.isSymbolicLink()) return files.readlink(`/tree/${path}`);
  return Buffer.from(await files.readFile(`/tree/${path}`));
}

function commitOf({ oid, commit }: ReadCommitResult): GitCommit {
  const { author, message, parent } = commit;
  return { id: oid, parents: parent, author: `${author.name} <${author.email}>`, at: author.timestamp * 1000, message };
}
