import type { PastChange, PastChanges } from './past-change.ts';
import { loadGit } from '../load-git.ts';
import type { Repository } from '../repository.ts';
import { commitAt } from '../read-commits.ts';

/** The library walks two trees for each commit. */
const mostMs = 25_000;
const mostPaths = 40;

/**
 * What the latest commits changed, latest first, along the first parents, as far as those are here. A merge counts as one
 * change with all that it brought in. Paths are from the folder that was asked for; commits that changed nothing in it are
 * left out.
 */
export async function readPastChanges(
  repository: Repository,
  { most }: { readonly most: number },
): Promise<PastChanges> {
  const git = await loadGit();
  const until = performance.now() + mostMs;
  const commits: PastChange[] = [];
  let oid: string | null = await commitAt(repository, 'HEAD').catch(() => null);
  let isCut = false;
  for (let seen = 0; oid !== null; seen += 1) {
    if (seen >= most || performance.now() > until) {
      isCut = true;
      break;
    }
    const { commit } = await git.readCommit({ ...repository.git, oid });
    const [parent] = commit.parent;
    if (parent === undefined) break;
    const isHere = await git.readCommit({ ...repository.git, oid: parent }).then(
      () => true,
      () => false,
    );
    if (!isHere) break;
    const paths = await changedPaths(repository, parent, oid);
    if (paths.length > 0 && paths.length <= mostPaths)
      commits.push({ id: oid, parent, message: commit.message.slice(0, 10_000), paths: paths.toSorted() });
    oid = parent;
  }
  return { commits, isCut, isShallow: repository.isShallow };
}

async function changedPaths(repository: Repository, from: string, to: string): Promise<readonly string[]> {
  const git = await loadGit();
  const { prefix } = repository;
  const paths: string[] = [];
  await git.walk({
    ...repository.git,
    trees: [git.TREE({ ref: from }), git.TREE({ ref: to })],
    map: async (name, [left, right]) => {
      if (name === '.') return name;
      if (paths.length > mostPaths || !isOnWay(name, prefix)) return null;
      // Equal folders have equal contents.
      if ((await left?.oid()) === (await right?.oid())) return null;
      const types = [await left?.type(), await right?.type()];
      if (types.includes('tree')) return name;
      paths.push(prefix === '' ? name : name.slice(prefix.length + 1));
      return null;
    },
  });
  return paths;
}

const isOnWay = (name: string, prefix: string): boolean =>
  prefix === '' || name.startsWith(`${prefix}/`) || prefix === name || prefix.startsWith(`${name}/`);
