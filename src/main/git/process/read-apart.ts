import { readFileSync } from 'node:fs';
import { AppError } from '@shared/errors.ts';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { gitAnswerSchema } from './git-answer.ts';

/** Answers a question about a repository. Throws what a person can do about it. */
export type ReadRepository = (
  input: { readonly projectPath: string; readonly ask: GitQuestion },
  signal: AbortSignal,
) => Promise<GitReport>;

export interface RepositoryReaderOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `git-process`. */
  readonly processPath: string;
  readonly timeoutMs?: number;
  readonly mostMemoryBytes?: number;
}

/** The process gives up by itself after 60 s, unless something keeps it busy. */
const usual = { timeoutMs: 65_000, mostMemoryBytes: 2_000_000_000 };
const heapMb = 768;
const watchMs = 50;
const mostAnswerCharacters = 256 * 1024 * 1024;
const hint = 'Ask the agent to run git in the sandbox, or run git yourself.';

/** Reads a repository in a process that is ended when it takes too long or too much memory. */
export function createRepositoryReader(options: RepositoryReaderOptions): ReadRepository {
  const { timeoutMs, mostMemoryBytes } = { ...usual, ...options };
  return (input, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const args = [`--max-old-space-size=${heapMb}`, options.processPath];
      const child = options.programs.start(options.nodePath, args, { needs: [], stdio: ['pipe', 'pipe', 'ignore'] });
      let heard = '';
      let why: AppError | null = null;
      const end = (problem: AppError | null): void => {
        why ??= problem;
        child.kill('SIGKILL');
      };
      const abort = (): void => end(null);
      const timer = setTimeout(() => end(tooLong(timeoutMs)), timeoutMs);
      const watch = setInterval(() => {
        if (memoryOf(child.pid) > mostMemoryBytes) end(tooHard());
      }, watchMs);
      signal.addEventListener('abort', abort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        clearInterval(watch);
        signal.removeEventListener('abort', abort);
        if (signal.aborted) return reject(signal.reason);
        try {
          if (why !== null) throw why;
          resolve(reportIn(heard));
        } catch (error) {
          reject(error);
        }
      };
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        heard += text;
        if (heard.length > mostAnswerCharacters) end(tooHard());
      });
      child.on('error', settle);
      child.on('close', settle);
      // The process may end before it has read everything. How it ended says why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(JSON.stringify(input));
    });
}

/** The answer of the process is as untrusted as the repository. */
function reportIn(heard: string): GitReport {
  // Node ends itself without an answer when it runs out of memory.
  if (!heard.endsWith('\n')) throw tooHard();
  const answer = gitAnswerSchema.parse(JSON.parse(heard));
  if (answer.type === 'report') return answer.report;
  throw new AppError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint });
}

const tooLong = (timeoutMs: number): AppError =>
  new AppError('timeout', `Reading the repository took longer than ${Math.round(timeoutMs / 1000)} s.`, { hint });

const tooHard = (): AppError =>
  new AppError('too-large', 'Reading the repository took too much memory, so it was stopped.', { hint });

/** Only Linux reports it in a file. Elsewhere only the limits of heap and time apply. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}
