import { mkdtempSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PullProgress } from '../../src/shared/git/pull-progress.ts';
import { createGitCommands } from '../../src/main/git/commands.ts';
import type { RunGit } from '../../src/main/git/process/run-apart.ts';
import { gitHosting, hostingToken } from './git-hosting.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { realRepository, workedSessions } from './real-repository.ts';

const signal = new AbortController().signal;

/** A host with a repository, a clone of it, and somebody else who pushes. */
export async function pullScene(fill?: (repo: ReturnType<typeof realRepository>) => void) {
  const host = await gitHosting();
  const other = realRepository();
  if (fill === undefined) {
    other.write('a.txt', 'one\n');
    other.write('deep/in/here.txt', 'two\n');
    other.commit('one');
  } else fill(other);
  other.git('push', '-q', host.folder, 'main');
  const mine = realRepository(mkdtempSync(join(tmpdir(), 'dewpoint-pull-')));
  const git = mine.git;
  git('remote', 'add', 'origin', host.folder);
  git('fetch', '-q', 'origin');
  git('checkout', '-q', '-B', 'main', 'origin/main');
  git('remote', 'set-url', 'origin', `${host.origin}/ada/app.git`);
  const parts = workedSessions(createMemoryJournal());
  await parts.keepToken('', hostingToken);
  const work: string[] = [];
  const watch = { onJob: (_type: string): void => undefined };
  const runGit: RunGit = (job, options) => {
    watch.onJob(job.type);
    return parts.runGit(job, options);
  };
  const commands = createGitCommands({ ...parts, runGit, sessions: { ...parts.sessions, workFolders: () => work } });
  const pull = async (more: { readonly remote?: string; readonly projectPath?: string } = {}, stop = signal) => {
    const steps: PullProgress[] = [];
    const input = { projectPath: mine.folder, remote: null, ...more };
    for await (const progress of await commands.pull({ input, signal: stop })) {
      steps.push(progress);
      if (progress.type === 'ended') return { ...progress.pull, steps };
    }
    throw new Error('The pull ended without a result.');
  };
  const push = (message: string): string => {
    const id = other.commit(message);
    other.git('push', '-q', host.folder, 'main');
    return id;
  };
  /** All that a pull may change. */
  const state = (): unknown => ({
    head: git('rev-parse', 'HEAD'),
    status: git('status', '--porcelain', '--ignored'),
    index: git('ls-files', '-s'),
    files: allFiles(mine.folder),
  });
  return { host, other, mine, git, pull, push, state, work, watch, commands };
}

/** All files of a checkout, and where its links lead. */
export function allFiles(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const place = join(entry.parentPath, entry.name);
    const path = place.slice(folder.length + 1);
    if (path === '.git' || path.startsWith('.git/') || entry.isDirectory()) continue;
    found[path] = entry.isSymbolicLink() ? `-> ${readlinkSync(place)}` : readFileSync(place, 'latin1');
  }
  return found;
}

/** What a pull would leave in `.git`. */
export const leftIn = (folder: string): readonly string[] =>
  readdirSync(join(folder, '.git')).filter((name) => /dewpoint|lock/u.test(name));
