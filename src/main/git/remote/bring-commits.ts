import { createHash } from 'node:crypto';
import { AppError } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import { cloneProblem } from '../clone/clone-problem.ts';
import type { SendCall } from '../hosting-calls.ts';
import { loadGit } from '../load-git.ts';
import type { Repository } from '../repository.ts';
import { createHeldFiles, type HeldFiles } from './held-files.ts';
import type { Upstream } from './find-upstream.ts';
import { oneHostFetch } from './one-host-fetch.ts';

/** Where a branch is from the one at the remote. */
export interface Brought {
  readonly commit: string;
  readonly isAt: 'same' | 'behind' | 'ahead' | 'apart';
  readonly notes: readonly string[];
}

interface BringTools {
  readonly hasToken: boolean;
  readonly send: SendCall;
  readonly onProgress: (progress: CloneStep) => void;
}

/**
 * Brings what the remote has, and notes where its branches are. Nothing is written before all of it was unpacked. The
 * checkout, the index and your own branches stay as they are.
 */
export async function bringCommits(repository: Repository, from: Upstream, tools: BringTools): Promise<Brought> {
  const held = createHeldFiles(repository.files);
  const access = { ...repository.git, fs: { promises: held.files } };
  const git = await loadGit();
  const brought = { ...repository, files: held.files, git: access };
  const commit = await fetchInto(brought, from, tools).catch((error: unknown) => {
    throw cloneProblem(error, { host: from.address.host, branch: from.theirs, hasToken: tools.hasToken });
  });
  checkPack(held.pack());
  // A branch whose commit did not come would break git there.
  const names = new Set<string>();
  for (const [name, id] of held.branches()) if (id.startsWith('ref: ') || (await isCommit(id))) names.add(name);
  if (!(await isCommit(commit))) throw damaged();
  const isAt = await placeOf(brought, { mine: from.commit, theirs: commit });
  const left = await held.keep(names);
  return { commit, isAt, notes: left.length === 0 ? [] : [leftNote(from.address.remote, left)] };

  async function isCommit(oid: string): Promise<boolean> {
    return git.readObject({ ...access, oid, format: 'content' }).then(
      ({ type }) => type === 'commit',
      () => false,
    );
  }
}

const shownBranches = 5;

function leftNote(remote: string, left: readonly string[]): string {
  const names = left.map((name) => (name.startsWith(`${remote}/`) ? name.slice(remote.length + 1) : name));
  const more = names.length > shownBranches ? `, and ${names.length - shownBranches} more` : '';
  const which = `${names.slice(0, shownBranches).join(', ')}${more}`;
  return `Not noted of ${remote}: ${which}. Branches that are gone there have their names. To remove those: git remote prune ${remote}`;
}

async function fetchInto(
  repository: Repository,
  { address, theirs, branch }: Upstream,
  tools: BringTools,
): Promise<string> {
  const git = await loadGit();
  const { origin, path, host, remote } = address;
  const refspec: unknown = await git.getConfig({ ...repository.git, path: `remote.${remote}.fetch` });
  if (refspec === undefined)
    throw new AppError('bad-input', `The remote ${remote} does not say where its branches are noted.`, {
      hint: `Tell git: git remote set-branches ${remote} '*'`,
    });
  const fetched = await git.fetch({
    ...repository.git,
    ...oneHostFetch(host, tools),
    url: `${origin}/${path}.git`,
    remote,
    ref: branch,
    remoteRef: `refs/heads/${theirs}`,
    // One that has a part of the history, or one branch, gets no more than that.
    singleBranch: repository.isShallow || !(typeof refspec === 'string' && refspec.includes('*')),
    tags: false,
  });
  if (fetched.fetchHead === null)
    throw new AppError('not-found', `The repository at ${host} has no commits.`, { hint: 'Check the remote.' });
  return fetched.fetchHead;
}

async function placeOf(
  repository: Repository,
  { mine, theirs }: { readonly mine: string; readonly theirs: string },
): Promise<Brought['isAt']> {
  if (mine === theirs) return 'same';
  const git = await loadGit();
  if (await git.isDescendent({ ...repository.git, oid: theirs, ancestor: mine })) return 'behind';
  return (await git.isDescendent({ ...repository.git, oid: mine, ancestor: theirs })) ? 'ahead' : 'apart';
}

/** The library leaves out objects that it cannot unpack, without a word. */
export function checkPack(held: ReturnType<HeldFiles['pack']>): void {
  if (held === null) return;
  const { pack, index } = held;
  const isWhole =
    pack.length >= 32 &&
    index.length >= 1032 &&
    pack.readUInt32BE(8) === index.readUInt32BE(1028) &&
    createHash('sha1').update(pack.subarray(0, -20)).digest().equals(pack.subarray(-20));
  if (!isWhole) throw damaged();
}

const damaged = (): AppError =>
  new AppError('bad-input', 'The repository is damaged: not all of it could be unpacked.');
