import type { GitBranch, GitReport } from '@shared/git/git-report.ts';
import { currentBranch, loadGit } from './load-git.ts';
import type { Repository } from './repository.ts';

/** A remote of a repository, as its configuration names it. */
export interface Remote {
  readonly name: string;
  readonly address: string;
  /** Without a password. */
  readonly shown: string;
}

export async function readRemotes({ git: access }: Repository): Promise<readonly Remote[]> {
  const git = await loadGit();
  const found = await git.listRemotes(access);
  return found.map(({ remote, url }) => ({ name: remote, address: url, shown: withoutLogin(url) }));
}

/** The same for a push, which a remote may send to another address. */
export async function readPushRemotes(repository: Repository): Promise<readonly Remote[]> {
  const git = await loadGit();
  const remotes: Remote[] = [];
  for (const remote of await readRemotes(repository)) {
    const other: unknown = await git.getConfig({ ...repository.git, path: `remote.${remote.name}.pushurl` });
    remotes.push(typeof other === 'string' ? { ...remote, address: other, shown: withoutLogin(other) } : remote);
  }
  return remotes;
}

/** A password may hold an "@" itself. */
export function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/iu, '$1').slice(0, 300);
}

export async function readBranches(repository: Repository): Promise<Extract<GitReport, { type: 'branches' }>> {
  const git = await loadGit();
  const remotes = await readRemotes(repository);
  const branches: GitBranch[] = [];
  const add = async (remote: string | null): Promise<void> => {
    const names = await git.listBranches({ ...repository.git, ...(remote === null ? {} : { remote }) });
    for (const name of names.filter((one) => one !== 'HEAD')) {
      const ref = remote === null ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`;
      // A branch that points nowhere is damage, and the others can still be listed.
      const commit = await git.resolveRef({ ...repository.git, ref }).catch(() => null);
      if (commit !== null) branches.push({ name, remote, commit });
    }
  };
  await add(null);
  for (const { name } of remotes) await add(name);
  const shownRemotes = remotes.map(({ name, shown: address }) => ({ name, address }));
  return { type: 'branches', ...(await currentBranch(repository)), branches, remotes: shownRemotes };
}
