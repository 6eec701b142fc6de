import type { RequestPlan } from '@shared/git/request-plan.ts';
import { AppError } from '@shared/errors.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256Of } from '../lib/sha256.ts';
import { isOfSession, proposedBranch } from './commit-session.ts';
import { chooseRemote, type HostingAddress } from './hosting-address.ts';
import { currentBranch, loadGit } from './load-git.ts';
import type { RequestWish } from './process/git-job.ts';
import { readPushRemotes } from './read-branches.ts';
import type { Repository } from './repository.ts';

/** What would leave this machine to ask for a review. */
export async function prepareRequest(
  repository: Repository,
  wish: RequestWish,
): Promise<{ readonly plan: RequestPlan; readonly address: HostingAddress }> {
  const git = await loadGit();
  const branch = wish.branch ?? proposedBranch(wish.task);
  const names = await git.listBranches(repository.git);
  const commit = names.includes(branch)
    ? await git.resolveRef({ ...repository.git, ref: `refs/heads/${branch}` })
    : null;
  const top = commit === null ? null : (await git.readCommit({ ...repository.git, oid: commit })).commit;
  if (commit === null || top === null || !isOfSession(top.message, wish.sessionId))
    throw new AppError('not-found', `There is no branch ${branch} with commits of this session.`, {
      hint: 'Commit first: dewpoint sessions commit SESSION',
    });
  const address = chooseRemote(await readPushRemotes(repository), wish.remote);
  const head = await currentBranch(repository);
  const isAtRemote =
    head.branch !== null &&
    (await git.listBranches({ ...repository.git, remote: address.remote })).includes(head.branch);
  const base = wish.base ?? (isAtRemote ? head.branch : null);
  const title = (wish.title ?? top.message.split('\n', 1)[0] ?? '').slice(0, 200);
  const { host, remote } = address;
  const to = `${address.origin}/${address.path}`;
  const others = await countOthers(repository, { commit, remote, sessionId: wish.sessionId });
  const notes = address.isFromSsh ? [`The remote is by SSH. Dewpoint pushes to the same host by HTTPS.`] : [];
  const approval = sha256Of(canonicalJson([wish.projectPath, remote, to, branch, commit, base, title, wish.body]));
  const plan = { remote, host, address: to, branch, commit, base, title, body: wish.body, others, notes, approval };
  return { plan, address };
}

/** Commits below the session's own that no branch of the remote has, as far as this machine knows. */
async function countOthers(
  repository: Repository,
  { commit, remote, sessionId }: { readonly commit: string; readonly remote: string; readonly sessionId: string },
): Promise<number> {
  const git = await loadGit();
  const names = await git.listBranches({ ...repository.git, remote });
  const atRemote = new Set<string>();
  for (const name of names.slice(0, 200)) {
    const ref = `refs/remotes/${remote}/${name}`;
    // A branch that points nowhere has nothing.
    const oid = await git.resolveRef({ ...repository.git, ref }).catch(() => null);
    if (oid !== null) atRemote.add(oid);
  }
  const log = await git.log({ ...repository.git, ref: commit, depth: 200 });
  const end = log.findIndex(({ oid }) => atRemote.has(oid));
  const unknown = end < 0 ? log : log.slice(0, end);
  return unknown.filter(({ commit: { message } }) => !isOfSession(message, sessionId)).length;
}
