import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileImage } from '../../src/shared/events/tool-events.ts';
import { createOutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import { doGitJob } from '../../src/main/git/process/do-job.ts';
import { gitJobSchema } from '../../src/main/git/process/git-job.ts';
import type { RunGit } from '../../src/main/git/process/run-apart.ts';
import { createWebClient } from '../../src/main/sandbox/network/web-client.ts';
import type { MemoryJournal } from './memory-journal.ts';

/** A repository in a folder of its own, made by the real git and by no settings of this machine. */
export interface RealRepository {
  readonly folder: string;
  /** Runs git in it, and returns what it prints without the last line end. */
  readonly git: (...words: readonly string[]) => string;
  readonly write: (path: string, text: string | Uint8Array) => void;
  /** Commits all files. Returns the id. */
  readonly commit: (message: string) => string;
}

export const gitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
} as const;

export function realRepository(folder = mkdtempSync(join(tmpdir(), 'dewpoint-git-'))): RealRepository {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: gitEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).replace(/\n$/u, '');
  git('init', '-q', '-b', 'main');
  return {
    folder,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    commit: (message) => {
      git('add', '-A');
      git('commit', '-q', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** Does a job in this process, with all that goes in and out as JSON, as it is with a process of its own. */
const runHere: RunGit = async (job, { schema, signal, send, onProgress = () => undefined }) => {
  const refuse = async (): Promise<never> => {
    throw new Error('This job connects to nothing.');
  };
  const value = await doGitJob(gitJobSchema.parse(JSON.parse(JSON.stringify(job))), {
    signal,
    send: send ?? refuse,
    onProgress,
  });
  return schema.parse(JSON.parse(JSON.stringify(value)));
};

/** The only session, at rest, as handlers of git see it. */
export function workedSessions(journal: MemoryJournal) {
  const tokens = new Map<string, string>();
  const sessions = {
    journal: async () => journal,
    openJournal: () => journal,
    runner: () => null,
    workFolders: (): readonly string[] => [],
  };
  const exchange = createWebClient(createOutboundConnections(() => ({ proxy: null, certificates: null }), {}));
  const hosting = {
    exchange,
    token: async () => tokens.get('') ?? null,
  };
  return {
    sessions,
    now: () => 1_800_000_000_000,
    hosting,
    exchangeForClones: exchange,
    runGit: runHere,
    keepToken: async (_host: string, token: string) => void tokens.set('', token),
  };
}

/** Notes in a session that a file was changed, as the agent's tools do. Null: there is no file. */
export async function noteChange(
  journal: MemoryJournal,
  path: string,
  [before, after]: readonly [before: string | null, after: string | null],
  mode = 0o644,
): Promise<void> {
  const image = async (text: string | null): Promise<FileImage> =>
    text === null ? null : { kept: true, blob: await journal.putBlob(Buffer.from(text)), mode };
  await journal.append({
    type: 'file-changed',
    path,
    before: await image(before),
    after: await image(after),
    by: 'model',
    toolCallId: null,
    added: null,
    removed: null,
    undoes: [],
  });
}
