import { AppError } from '@shared/errors.ts';
import type { CommitPlan, MadeCommit } from '@shared/git/commit-plan.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256Of } from '../lib/sha256.ts';
import {
  commitFiles,
  fileAt,
  filesTakenBack,
  isAsInGit,
  writeFiles,
  type CommitFile,
  type ReadBlob,
} from './commit-files.ts';
import { currentBranch, loadGit } from './load-git.ts';
import type { CommitWish } from './process/git-job.ts';
import { withRepository, type Repository } from './repository.ts';
import { moveBranch } from './repository-files.ts';

interface Author {
  readonly name: string;
  readonly email: string;
}

interface Prepared {
  readonly plan: CommitPlan;
  readonly files: readonly CommitFile[];
  readonly author: Author;
  readonly tip: string | null;
}

const mostCommits = 1_000;
const mostSameNames = 50;

/** Shows the commit that would be made. Writes nothing. */
export function planCommit(wish: CommitWish, signal: AbortSignal): Promise<CommitPlan> {
  return withRepository(wish.projectPath, { signal, isBelow: true }, async (repository) => {
    return (await prepare(repository, wish)).plan;
  });
}

/**
 * Makes exactly the commit that was approved: its objects and its branch are written, and nothing else. The checkout,
 * the index and HEAD stay as they are.
 */
export function makeCommit(
  wish: CommitWish,
  { approval, now, signal }: { readonly approval: string; readonly now: Date; readonly signal: AbortSignal },
): Promise<MadeCommit> {
  return withRepository(wish.projectPath, { signal, canWrite: true, isBelow: true }, async (repository) => {
    const { plan, files, author, tip } = await prepare(repository, wish);
    if (plan.approval !== approval)
      throw new AppError(
        'conflict',
        'The changes or the repository are not as they were shown. Nothing was committed.',
        {
          hint: 'Look at the commit again.',
        },
      );
    const git = await loadGit();
    const parent = tip ?? plan.base;
    const tree = await writeFiles(repository, parent, files);
    const by = { ...author, timestamp: Math.floor(now.getTime() / 1000), timezoneOffset: now.getTimezoneOffset() };
    const commit = { tree, parent: [parent], author: by, committer: by, message: plan.message };
    const oid = await git.writeCommit({ ...repository.git, commit });
    await moveBranch(repository.places, { branch: plan.branch, from: tip, to: oid }, signal);
    return { branch: plan.branch, commit: oid, files: files.filter(({ kind }) => kind !== 'left out').length };
  });
}

async function prepare(repository: Repository, wish: CommitWish): Promise<Prepared> {
  const head = await currentBranch(repository);
  if (head.commit === null)
    throw new AppError('bad-input', 'There are no commits yet, so there is nothing to base a branch on.', {
      hint: 'Make the first one: git commit --allow-empty -m "Begin"',
    });
  const branch = wish.branch ?? wish.known ?? (await freeBranch(repository, wish));
  checkBranch(branch);
  if (branch === head.branch || (await isInWorktree(repository, branch)))
    throw new AppError('refused', `The branch ${branch} is checked out, and your checkout stays as it is.`, {
      hint: 'Switch to another branch first, or choose one: --branch dewpoint/NAME',
    });
  const tip = await tipOf(repository, branch);
  const base = tip === null ? head.commit : await baseOf(repository, { tip, branch, sessionId: wish.sessionId });
  const author = await authorOf(repository, wish.author);
  // The session knows its files from the folder of the project, and git from the top of the repository.
  const changes = wish.changes.map((change) => ({
    ...change,
    path: repository.prefix === '' ? change.path : `${repository.prefix}/${change.path}`,
  }));
  const wanted = await commitFiles(repository, base, { changes, read: contentsOf(wish) });
  const files = tip === null ? wanted : await onlyNew(repository, { base, tip }, wanted);
  if (files.every(({ kind }) => kind === 'left out'))
    throw new AppError('bad-input', nothingToCommit(files, tip !== null));
  const message = messageFor(wish);
  const notes = [...placeNotes(repository), ...(await notesFor(repository, wish.signs, branch))];
  const shown = files.map(({ path, kind, note }) => ({ path, kind, note }));
  const contents = files.map(({ path, content }) => [path, content?.oid ?? null, content?.mode ?? null]);
  const approval = sha256Of(
    canonicalJson([wish.projectPath, branch, base, tip, author.name, author.email, message, contents]),
  );
  const named = `${author.name} <${author.email}>`;
  const plan = {
    projectPath: wish.projectPath,
    branch,
    isMore: tip !== null,
    base,
    author: named,
    message,
    files: shown,
    notes,
    approval,
  };
  return { plan, files, author, tip };
}

function contentsOf({ contents }: CommitWish): ReadBlob {
  const known = new Map(Object.entries(contents));
  return ({ sha256 }) => {
    const text = known.get(sha256);
    return text === undefined ? null : Buffer.from(text, 'base64');
  };
}

function nothingToCommit(files: readonly CommitFile[], isMore: boolean): string {
  if (files.length === 0) return 'The session changed no files, so there is nothing to commit.';
  const why = files.slice(0, 5).map(({ path, note }) => `${path}: ${note ?? ''}`);
  return `${isMore ? 'Everything is committed already' : 'No change can be committed'} (${why.join('; ')}).`;
}

/** What makes the branch equal to the session: what it lacks, and what the session has taken back since. */
async function onlyNew(
  repository: Repository,
  { base, tip }: { readonly base: string; readonly tip: string },
  files: readonly CommitFile[],
): Promise<readonly CommitFile[]> {
  const fresh = await Promise.all(
    files.map(async (file): Promise<CommitFile> => {
      if (file.kind === 'left out' || !isSameFile(await fileAt(repository, tip, file.path), file.content)) return file;
      return { ...file, kind: 'left out', note: 'the branch has it like this already', content: null };
    }),
  );
  const kept = new Set(files.filter((file) => !isAsInGit(file)).map(({ path }) => path));
  const back = (await filesTakenBack(repository, base, tip)).filter(({ path }) => !kept.has(path));
  const paths = new Set(back.map(({ path }) => path));
  return [...fresh.filter(({ path }) => !paths.has(path)), ...back];
}

function isSameFile(there: Awaited<ReturnType<typeof fileAt>>, content: CommitFile['content']): boolean {
  if (there === null || content === null) return there === content;
  return typeof there === 'object' && there.mode === content.mode && Buffer.compare(there.bytes, content.bytes) === 0;
}

/** The branch of a task, with a number behind it where another session, or somebody else, has that name. */
async function freeBranch(repository: Repository, { title, sessionId }: CommitWish): Promise<string> {
  const git = await loadGit();
  const names = new Set(await git.listBranches(repository.git));
  const proposed = proposedBranch(title);
  for (const name of [proposed, ...Array.from({ length: mostSameNames }, (_, at) => `${proposed}-${at + 2}`)]) {
    if (!names.has(name)) return name;
    const oid = await git.resolveRef({ ...repository.git, ref: `refs/heads/${name}` });
    if (isOfSession((await git.readCommit({ ...repository.git, oid })).commit.message, sessionId)) return name;
  }
  return proposed;
}

async function tipOf(repository: Repository, branch: string): Promise<string | null> {
  const git = await loadGit();
  const names = await git.listBranches(repository.git);
  const above = names.find((name) => branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`));
  if (above !== undefined)
    throw new AppError('conflict', `A branch ${above} exists, so git cannot have one named ${branch}.`, {
      hint: 'Choose another: --branch NAME',
    });
  return names.includes(branch) ? git.resolveRef({ ...repository.git, ref: `refs/heads/${branch}` }) : null;
}

/** The commit below those of this session. A branch with commits of others is not touched. */
async function baseOf(
  repository: Repository,
  { tip, branch, sessionId }: { readonly tip: string; readonly branch: string; readonly sessionId: string },
): Promise<string> {
  const git = await loadGit();
  let oid = tip;
  for (let count = 0; count < mostCommits; count += 1) {
    const { commit } = await git.readCommit({ ...repository.git, oid });
    const isOurs = isOfSession(commit.message, sessionId);
    const [parent] = commit.parent;
    if (isOurs && parent !== undefined) {
      oid = parent;
      continue;
    }
    if (oid !== tip) return oid;
    break;
  }
  throw new AppError('conflict', `The branch ${branch} exists and has other commits. Nothing was changed.`, {
    hint: 'Choose another: --branch dewpoint/NAME',
  });
}

async function isInWorktree({ files }: Repository, branch: string): Promise<boolean> {
  const names = await files.readdir('/git/worktrees').catch(() => []);
  for (const name of names.slice(0, 100)) {
    const head = await files.readFile(`/git/worktrees/${name}/HEAD`, 'utf8').catch(() => '');
    if (head.toString().trim() === `ref: refs/heads/${branch}`) return true;
  }
  return false;
}

async function authorOf(repository: Repository, usual: Author | null): Promise<Author> {
  const git = await loadGit();
  const name: unknown = await git.getConfig({ ...repository.git, path: 'user.name' });
  const email: unknown = await git.getConfig({ ...repository.git, path: 'user.email' });
  const own = {
    name: typeof name === 'string' ? name : usual?.name,
    email: typeof email === 'string' ? email : usual?.email,
  };
  if (own.name === undefined || own.email === undefined || /[<>\n]/u.test(own.name + own.email))
    throw new AppError('bad-input', 'Git does not know your name and address, which a commit needs.', {
      hint: 'Tell it: git config --global user.name "NAME", and git config --global user.email ADDRESS',
    });
  return { name: own.name, email: own.email };
}

/** A folder above may have another owner in mind: its branches are written, so it is named. */
function placeNotes({ prefix, places }: Repository): readonly string[] {
  return prefix === '' ? [] : [`The project is a folder of the repository ${places.tree}, which gets the branch.`];
}

async function notesFor(repository: Repository, signs: boolean, branch: string): Promise<readonly string[]> {
  const git = await loadGit();
  const own: unknown = await git.getConfig({ ...repository.git, path: 'commit.gpgsign' });
  const isSigned =
    own === undefined ? signs : own === true || (typeof own === 'string' && /^(?:true|yes|on|1)$/iu.test(own));
  return isSigned
    ? [
        `Git signs your commits. Dewpoint cannot, so this one is not signed. To sign it: git checkout ${branch}, then git commit --amend -S --no-edit`,
      ]
    : [];
}

const trailerOf = (sessionId: string): string => `Dewpoint-Session: ${sessionId}`;

function messageFor({ message, title, sessionId }: CommitWish): string {
  const text = (message ?? firstLine(title)).trim().replaceAll('\r\n', '\n');
  if (text === '' || text.includes('\0'))
    throw new AppError('bad-input', 'A commit needs a message.', { hint: 'For example: --message "Fix the date"' });
  return `${text}\n\n${trailerOf(sessionId)}\n`;
}

function firstLine(title: string): string {
  const line = title.trim().split('\n', 1)[0]?.trim() ?? '';
  return line.length <= 72 ? line : `${line.slice(0, 71).trimEnd()}…`;
}

/** The branch of a task, unless another one is named. */
export function proposedBranch(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-');
  return `dewpoint/${words.slice(0, 40).replaceAll(/^-|-$/gu, '') || 'task'}`;
}

/** Whether a commit with this message was made of a session. */
export function isOfSession(message: string, sessionId: string): boolean {
  return message.split('\n').includes(trailerOf(sessionId));
}

/** Whether every git and every file system takes this name. */
export function isPlainBranch(branch: string): boolean {
  return (
    /^[A-Za-z0-9_][A-Za-z0-9._/-]{0,150}$/u.test(branch) &&
    branch
      .split('/')
      .every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.') && !part.endsWith('.lock')) &&
    !branch.includes('..') &&
    branch !== 'HEAD'
  );
}

function checkBranch(branch: string): void {
  if (!isPlainBranch(branch))
    throw new AppError('bad-input', `"${branch.slice(0, 100)}" cannot be the name of a branch.`, {
      hint: 'Use letters, digits, "-" and "/": --branch dewpoint/fix-date',
    });
}
