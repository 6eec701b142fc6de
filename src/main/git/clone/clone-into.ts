import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import { AppError } from '@shared/errors.ts';
import type { CloneStep, MadeClone } from '@shared/git/clone-progress.ts';
import { isPlainBranch } from '../commit-session.ts';
import type { SendCall } from '../hosting-calls.ts';
import { loadGit } from '../load-git.ts';
import type { GitJob } from '../process/git-job.ts';
import { withManyReads } from '../many-reads.ts';
import { checkPack } from '../remote/bring-commits.ts';
import { oneHostFetch } from '../remote/one-host-fetch.ts';
import { withRepository, type Repository } from '../repository.ts';
import { cloneProblem } from './clone-problem.ts';
import { lookAtTree } from './look-at-tree.ts';
import { tryFolder, writeCheckout } from './write-checkout.ts';

type Wish = Extract<GitJob, { type: 'clone' }>;
type Cloned = Omit<MadeClone, 'folder' | 'host'>;

interface CloneTools {
  readonly signal: AbortSignal;
  readonly send: SendCall;
  readonly onProgress: (progress: CloneStep) => void;
}

const longestMs = 600_000;
/** Each is a file of its own. */
const mostRefs = 10_000;
/** Progress is said at every so many files. */
const atOnce = 500;

/** Brings a repository into an empty folder: all objects first, then a look at every name, then the files. */
export async function cloneInto(wish: Wish, tools: CloneTools): Promise<Cloned> {
  const { folder, signal } = { ...wish, ...tools };
  if ((await readdir(folder)).length > 0) throw new AppError('conflict', 'The folder is not empty.');
  await makeEmpty(folder, wish).catch((error: unknown) => {
    throw cloneProblem(error, wish);
  });
  return withRepository(folder, { signal, isNew: true, longestMs }, async (repository) => {
    try {
      return await bring(repository, wish, tools);
    } catch (error) {
      throw cloneProblem(error, wish);
    }
  });
}

async function bring(repository: Repository, wish: Wish, tools: CloneTools): Promise<Cloned> {
  const { folder, depth } = wish;
  const fetched = await fetchAll(repository, wish, tools);
  if (fetched === null)
    return { branch: 'main', commit: null, files: 0, notes: ['The repository has no commits yet.'] };
  const { branch, commit } = fetched;
  await checkPacks(repository);
  const git = await loadGit();
  const packed = withManyReads(repository);
  const { commit: read } = await git.readCommit({ ...packed.git, oid: commit });
  const { isCaseBlind, hasLinks, hasModes } = await tryFolder(folder);
  const files = await lookAtTree(packed, read.tree, { isCaseBlind });
  await makeBranch(repository.files, branch, commit);
  await writeSettings(folder, { ...wish, branch, isCaseBlind, hasLinks, hasModes });
  const onWritten = (count: number): void => {
    if (count % atOnce === 0 || count === files.length)
      tools.onProgress({ step: 'write', done: count, total: files.length });
  };
  const { notes } = await writeCheckout(packed, files, { hasLinks, onWritten });
  const shallow = depth === null ? [] : ['Older commits are only at the host.'];
  return { branch, commit, files: files.length, notes: [...shallow, ...notes] };
}

async function makeBranch(files: Repository['files'], branch: string, commit: string): Promise<void> {
  const folders = branch.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth += 1)
    await files.mkdir(`/git/refs/heads/${folders.slice(0, depth).join('/')}`);
  await files.writeFile(`/git/refs/heads/${branch}`, `${commit}\n`);
}

/** What git needs to take a folder for a repository. */
async function makeEmpty(folder: string, wish: Wish): Promise<void> {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'refs/remotes/origin', 'info'])
    await mkdir(join(folder, '.git', name), { recursive: true });
  await writeSettings(folder, {
    url: wish.url,
    depth: null,
    branch: 'main',
    isCaseBlind: false,
    hasLinks: true,
    hasModes: true,
  });
}

interface Settings extends Pick<Wish, 'url' | 'depth'> {
  readonly branch: string;
  readonly isCaseBlind: boolean;
  readonly hasLinks: boolean;
  readonly hasModes: boolean;
}

async function writeSettings(folder: string, settings: Settings): Promise<void> {
  const { url, branch, depth, isCaseBlind, hasLinks, hasModes } = settings;
  const lines = [
    '[core]',
    '\trepositoryformatversion = 0',
    `\tfilemode = ${hasModes}`,
    '\tbare = false',
    '\tlogallrefupdates = true',
    ...(isCaseBlind ? ['\tignorecase = true'] : []),
    ...(hasLinks ? [] : ['\tsymlinks = false']),
    '[remote "origin"]',
    `\turl = "${url.replaceAll(/["\\]/gu, String.raw`\$&`)}"`,
    // As with git: one that brought a single branch asks for no others.
    `\tfetch = +refs/heads/${depth === null ? '*' : branch}:refs/remotes/origin/${depth === null ? '*' : branch}`,
    `[branch "${branch}"]`,
    '\tremote = origin',
    `\tmerge = refs/heads/${branch}`,
  ];
  await writeFile(join(folder, '.git', 'config'), `${lines.join('\n')}\n`);
  await writeFile(join(folder, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`);
}

/** Null: the repository is empty. */
async function fetchAll(
  repository: Repository,
  { url, host, branch, depth }: Wish,
  tools: CloneTools,
): Promise<{ readonly branch: string; readonly commit: string } | null> {
  const git = await loadGit();
  if (branch !== null && !isPlainBranch(branch)) throw oddBranch(branch);
  const isSingle = depth !== null;
  const fetching = oneHostFetch(host, tools);
  const fetched = await git.fetch({
    ...repository.git,
    ...fetching,
    http: {
      request: async (request: GitHttpRequest) => {
        const answer = await fetching.http.request(request);
        return request.method === 'GET' && !isSingle ? withFewRefs(answer, host) : answer;
      },
    },
    url,
    remote: 'origin',
    singleBranch: isSingle,
    tags: !isSingle,
    remoteRef: branch === null ? 'HEAD' : `refs/heads/${branch}`,
    ...(depth === null ? {} : { depth }),
  });
  if (fetched.fetchHead === null) return null;
  const name = branch ?? (fetched.defaultBranch ?? '').replace(/^refs\/heads\//u, '');
  if (!isPlainBranch(name)) throw oddBranch(name);
  return { branch: name, commit: fetched.fetchHead };
}

function oddBranch(name: string): AppError {
  return new AppError('bad-input', `"${name.slice(0, 100)}" is not a branch that Dewpoint can check out.`, {
    hint: 'Name another: --branch NAME',
  });
}

async function withFewRefs(answer: GitHttpResponse, host: string): Promise<GitHttpResponse> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body ?? []) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  let count = 0;
  for (const kind of [' refs/heads/', ' refs/tags/'])
    for (let at = whole.indexOf(kind); at >= 0; at = whole.indexOf(kind, at + 1)) count += 1;
  if (count > mostRefs)
    throw new AppError('too-large', `The repository at ${host} has ${count} branches and tags.`, {
      hint: 'Bring one branch: --depth 1',
    });
  return { ...answer, body: once(whole) };
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}

/** The pack and its index. A clone without a pack is not whole. */
async function checkPacks({ files }: Repository): Promise<void> {
  const names = await files.readdir('/git/objects/pack');
  const read = async (end: string): Promise<Buffer> => {
    const name = names.find((one) => one.endsWith(end));
    return name === undefined ? Buffer.alloc(0) : Buffer.from(await files.readFile(`/git/objects/pack/${name}`));
  };
  checkPack({ pack: await read('.pack'), index: await read('.idx') });
}
