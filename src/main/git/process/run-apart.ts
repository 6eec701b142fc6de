import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import { untilDrained } from '../../lib/async/until-drained.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { SendCall } from '../hosting-calls.ts';
import { gitLineSchema } from './git-answer.ts';
import type { GitJob } from './git-job.ts';

/** Does a job with a repository. Throws what a person can do about it. */
export type RunGit = <Value>(job: GitJob, how: RunningGit<Value>) => Promise<Value>;

export interface RunningGit<Value> {
  /** What the answer has to be. */
  readonly schema: z.ZodType<Value>;
  readonly signal: AbortSignal;
  /** Makes the calls that a push or a clone needs. Left out: the job may make none. */
  readonly send?: SendCall;
  readonly onProgress?: (progress: CloneStep) => void;
}

export interface GitProcessOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `git-process`. */
  readonly processPath: string;
  readonly timeoutMs?: number;
  readonly mostMemoryBytes?: number;
}

/** The process gives up by itself after 60 s, or 600 s with a host or many files, unless something keeps it busy. */
const usualMs = 65_000;
const longMs = 605_000;
const usualMemoryBytes = 2_000_000_000;
const heapMb = 768;
const watchMs = 50;
const mostAnswerCharacters = 256 * 1024 * 1024;
const hint = 'Ask the agent to run git in the sandbox, or run git yourself.';

/** Works with a repository in a process that is ended when it takes too long or too much memory. */
export function createGitProcess(options: GitProcessOptions): RunGit {
  return (job, { schema, signal, send, onProgress }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const args = [`--max-old-space-size=${heapMb}`, options.processPath];
      const child = options.programs.start(options.nodePath, args, { needs: [], stdio: ['pipe', 'pipe', 'ignore'] });
      const timeoutMs = options.timeoutMs ?? (send === undefined && job.type !== 'forward' ? usualMs : longMs);
      let ended: { readonly value: unknown } | { readonly problem: unknown } | null = null;
      const end = (problem: unknown): void => {
        ended ??= { problem };
        child.kill('SIGKILL');
      };
      const abort = (): void => end(signal.reason);
      const timer = setTimeout(() => end(tooLong(timeoutMs)), timeoutMs);
      const watch = setInterval(() => {
        if (memoryOf(child.pid) > (options.mostMemoryBytes ?? usualMemoryBytes)) end(tooHard());
      }, watchMs);
      signal.addEventListener('abort', abort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        clearInterval(watch);
        signal.removeEventListener('abort', abort);
        // Node ends itself without an answer when it runs out of memory.
        const how = ended ?? { problem: tooHard() };
        if ('problem' in how) return reject(how.problem);
        const answer = schema.safeParse(how.value);
        if (answer.success) resolve(answer.data);
        else reject(answer.error);
      };
      const hear = async (text: string): Promise<void> => {
        const line = gitLineSchema.parse(JSON.parse(text));
        if (line.type === 'failed') throw new AppError(line.code, line.message, hintOf(line));
        if (line.type === 'progress') return onProgress?.(line.progress);
        if (line.type === 'done') ended ??= { value: line.value };
        else await answerCall(line, send, child.stdin);
      };
      eachLine(child, (line) => void hear(line).catch(end), end);
      child.on('error', settle);
      child.on('close', settle);
      // The process may end before it has read everything. How it ended says why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.write(`${JSON.stringify(job)}\n`);
    });
}

/** The lines of the process. They are as untrusted as the repository. */
function eachLine(
  child: ReturnType<HostPrograms['start']>,
  hear: (line: string) => void,
  end: (problem: unknown) => void,
): void {
  let begun = '';
  let characters = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    characters += text.length;
    if (characters > mostAnswerCharacters) return end(tooHard());
    const [first = '', ...others] = text.split('\n');
    begun += first;
    for (const next of others) {
      hear(begun);
      begun = next;
    }
  });
}

type CallLine = Extract<z.output<typeof gitLineSchema>, { type: 'call' }>;

/** In pieces, because a whole repository would be a line that is too long. */
const pieceBytes = 3 * 1024 * 1024;

async function answerCall(
  { method, url, headers, body }: CallLine,
  send: SendCall | undefined,
  stdin: Writable | null,
): Promise<void> {
  if (send === undefined) throw new AppError('refused', `A job without a host wanted to call ${url.slice(0, 200)}.`);
  const given = body === null ? null : Buffer.from(body, 'base64');
  const { status, headers: answered, bytes } = await send({ method, url: new URL(url), headers, body: given });
  const pieces = Math.ceil(bytes.length / pieceBytes);
  stdin?.write(`${JSON.stringify({ status, headers: answered, pieces })}\n`);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(pieceBytes, bytes.length - at));
    if (stdin?.write(`${JSON.stringify(piece.toString('base64'))}\n`) !== false) continue;
    // One that ends before it has read all is heard of elsewhere.
    await untilDrained(stdin);
  }
}

const hintOf = ({ hint: text }: { readonly hint?: string | undefined }) => (text === undefined ? {} : { hint: text });

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
