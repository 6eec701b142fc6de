import { AppError } from '@shared/errors.ts';
import type { PushedCommit, PushPlan } from '@shared/git/push-plan.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { lookAtChanges } from '../clone/look-at-tree.ts';
import { blobOf } from '../clone/write-checkout.ts';
import { isContentPointer } from '../commit-files.ts';
import { isPlainBranch } from '../commit-session.ts';
import { chooseRemote, type HostingAddress } from '../hosting-address.ts';
import { currentBranch, loadGit } from '../load-git.ts';
import { readPushRemotes } from '../read-branches.ts';
import type { Repository } from '../repository.ts';
import { followedBranch } from './find-upstream.ts';

export interface PushWish {
  /** Null: the one that is checked out. */
  readonly branch: string | null;
  /** Null: the one that the branch follows. */
  readonly remote: string | null;
}

const shownCommits = 50;
/** Looking further takes seconds. */
const mostCommits = 20_000;
/** Reading so many takes seconds. */
const mostPointers = 5_000;

/** What would leave this machine. Connects to nothing. */
export async function planPush(
  repository: Repository,
  wish: PushWish,
): Promise<{ readonly plan: PushPlan; readonly address: HostingAddress }> {
  const git = await loadGit();
  const branch = wish.branch ?? (await currentBranch(repository)).branch;
  if (branch === null)
    throw new AppError('bad-input', 'HEAD is detached, so there is no branch to push.', {
      hint: 'Name one: --branch NAME',
    });
  if (!isPlainBranch(branch))
    throw new AppError('bad-input', `"${branch.slice(0, 100)}" is not a branch that Dewpoint can push.`);
  if (!(await git.listBranches(repository.git)).includes(branch))
    throw new AppError('not-found', `There is no branch ${branch} with commits.`, {
      hint: 'See what there is: dewpoint projects git branches',
    });
  const commit = await git.resolveRef({ ...repository.git, ref: `refs/heads/${branch}` });
  const followed = await followedBranch(repository, branch);
  const usual = followed === null || followed.remote === '.' ? null : followed.remote;
  const address = chooseRemote(await readPushRemotes(repository), wish.remote ?? usual);
  const { host, remote } = address;
  const known = await git.listBranches({ ...repository.git, remote });
  const there = await tipsOf(repository, remote, known);
  const { commits, count } = await lackedBy(repository, commit, new Set(there.values()));
  const own = there.get(branch) ?? null;
  if (own === commit)
    throw new AppError('bad-input', `${remote}/${branch} has all commits of ${branch}, as far as this machine knows.`, {
      hint: 'If it changed there since: dewpoint projects pull',
    });
  await refuseContent(repository, commit, own ?? there.get('main') ?? [...there.values()][0] ?? null);
  const to = `${address.origin}/${address.path}`;
  const folder = repository.places.tree;
  const notes = [
    ...(address.isFromSsh ? ['The remote is by SSH. Dewpoint pushes to the same host by HTTPS.'] : []),
    ...(repository.prefix === ''
      ? []
      : [`The project is a folder of the repository ${folder}, all of which is pushed.`]),
    ...(repository.isShallow ? ['A shallow clone: some hosts take no push from it.'] : []),
  ];
  const approval = sha256Of(canonicalJson(['push', folder, remote, to, branch, commit]));
  const isNew = !there.has(branch);
  const plan = { folder, branch, commit, remote, host, address: to, isNew, commits, count, notes, approval };
  return { plan, address };
}

/** Where the branches of the remote were when it was last asked. */
async function tipsOf(
  repository: Repository,
  remote: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const git = await loadGit();
  const tips = new Map<string, string>();
  for (const name of names.slice(0, 1_000)) {
    const ref = `refs/remotes/${remote}/${name}`;
    // A branch that points nowhere has nothing.
    const oid = await git.resolveRef({ ...repository.git, ref }).catch(() => null);
    if (oid !== null && name !== 'HEAD') tips.set(name, oid);
  }
  return tips;
}

interface Known {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly at: number;
  readonly shown: PushedCommit;
}

/** Commits that can be reached from this one and from none of the others: latest first, by their time. */
async function lackedBy(
  repository: Repository,
  commit: string,
  others: ReadonlySet<string>,
): Promise<Pick<PushPlan, 'commits' | 'count'>> {
  const git = await loadGit();
  const theirs = new Set<string>();
  const waiting = new Map<string, Known>();
  const found = new Map<string, Known>();
  const add = async (oid: string): Promise<void> => {
    if (waiting.has(oid) || found.has(oid)) return;
    // The end of a shallow clone, or a branch of the remote that is not here.
    const read = await git.readCommit({ ...repository.git, oid }).catch(() => null);
    if (read === null) return;
    const { parent, committer, author, message } = read.commit;
    const title = (message.split('\n', 1)[0] ?? '').slice(0, 200);
    waiting.set(oid, { oid, parents: parent, at: committer.timestamp, shown: { id: oid, author: author.name, title } });
  };
  for (const oid of others) {
    theirs.add(oid);
    await add(oid);
  }
  await add(commit);
  for (let looked = 0; [...waiting.keys()].some((oid) => !theirs.has(oid)); looked += 1) {
    if (looked === mostCommits)
      return { commits: [...found.values()].slice(0, shownCommits).map(({ shown }) => shown), count: null };
    let latest: Known | null = null;
    for (const one of waiting.values()) if (latest === null || one.at > latest.at) latest = one;
    if (latest === null) break;
    waiting.delete(latest.oid);
    const isTheirs = theirs.has(latest.oid);
    if (!isTheirs) found.set(latest.oid, latest);
    for (const parent of latest.parents) {
      if (isTheirs) markTheirs(parent, theirs, found);
      await add(parent);
    }
  }
  const lacked = [...found.values()].filter(({ oid }) => !theirs.has(oid));
  return { commits: lacked.slice(0, shownCommits).map(({ shown }) => shown), count: lacked.length };
}

/** Also those that were looked at before, because a clock may be wrong. */
function markTheirs(oid: string, theirs: Set<string>, found: ReadonlyMap<string, Known>): void {
  const left = [oid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (theirs.has(next)) continue;
    theirs.add(next);
    left.push(...(found.get(next)?.parents ?? []));
  }
}

/** The content of Git LFS goes to the host in a way of its own, and without it the files there would be broken. */
async function refuseContent(repository: Repository, commit: string, other: string | null): Promise<void> {
  const git = await loadGit();
  const treeOf = async (oid: string): Promise<string | null> =>
    git.readCommit({ ...repository.git, oid }).then(
      (read) => read.commit.tree,
      () => null,
    );
  const to = await treeOf(commit);
  if (to === null) return;
  const from = other === null ? null : await treeOf(other);
  const changes = await lookAtChanges(repository, { from, to }, { isCaseBlind: false });
  const isOfContent = attributesIn(repository, to);
  const refuse = (what: string): AppError =>
    new AppError('refused', `${what} Nothing was sent.`, { hint: 'Push with your own git: git push' });
  let looked = 0;
  for (const { path, after } of changes) {
    const isFile = after?.kind === 'file' || after?.kind === 'program';
    if (!isFile || !(await isOfContent(path))) continue;
    looked += 1;
    if (looked > mostPointers) throw refuse('The branch changes too many files to tell whether they are in Git LFS.');
    if (isContentPointer(await blobOf(repository, after)))
      throw refuse(`${path} is in Git LFS, and Dewpoint does not send its content.`);
  }
}

/** Whether the attributes of a folder, or of one above it, name Git LFS for anything. */
function attributesIn(repository: Repository, tree: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const isNamedIn = async (folder: string): Promise<boolean> => {
    const git = await loadGit();
    const filepath = folder === '' ? '.gitattributes' : `${folder}/.gitattributes`;
    return git.readBlob({ ...repository.git, oid: tree, filepath }).then(
      ({ blob }) => /\bfilter=lfs\b/u.test(Buffer.from(blob).toString()),
      () => false,
    );
  };
  const look = async (folder: string): Promise<boolean> => {
    const found = known.get(folder) ?? isNamedIn(folder);
    known.set(folder, found);
    return (await found) || (folder !== '' && look(folderOf(folder)));
  };
  return (path) => look(folderOf(path));
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
