import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { HostPrograms } from '../lib/programs/host-programs.ts';

export interface DocumentReaderOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `document-process`. */
  readonly processPath: string;
  /** The most processor time. A busy machine reads slower, not less. Where it is unknown, all time counts. */
  readonly mostProcessorMs?: number;
  readonly mostMemoryBytes?: number;
}

/** What a file may take where nothing else is said. */
export const usualProcessorMs = 20_000;
const usual = { mostProcessorMs: usualProcessorMs, mostMemoryBytes: 768 * 1024 * 1024 };
/** For a process that waits for something that never comes. One that a busy machine lets wait goes on a little. */
const idleMs = 120_000;
const heapMb = 384;
const watchMs = 50;

export interface ParserAsked {
  /** What comes after the program: the kind and what it needs. */
  readonly args: readonly string[];
  readonly bytes: Uint8Array;
  /** A longer answer ends the process. */
  readonly mostCharacters: number;
  readonly signal: AbortSignal | undefined;
}

/** `heard`: all that it wrote. The answer is as untrusted as the file. */
type ParserEnd = { readonly heard: string } | { readonly why: 'too-hard' | 'no-reader' };

/** Gives an untrusted file to a process that is ended when it takes too long or too much memory. After an abort: `too-hard`. */
export function runParser(
  options: DocumentReaderOptions,
  { args, bytes, mostCharacters, signal: stop }: ParserAsked,
): Promise<ParserEnd> {
  const { mostProcessorMs, mostMemoryBytes } = { ...usual, ...options };
  return new Promise((resolve) => {
    const child = startOrNull(options, [`--max-old-space-size=${heapMb}`, options.processPath, ...args]);
    if (child === null) return resolve({ why: 'no-reader' });
    let heard = '';
    let isEnded = false;
    const end = (): void => {
      isEnded = true;
      child.kill('SIGKILL');
    };
    stop?.addEventListener('abort', end, { once: true });
    if (stop?.aborted === true) end();
    const startedAt = performance.now();
    let moved = { spentMs: 0, at: startedAt };
    const watch = setInterval(() => {
      const at = performance.now();
      const spentMs = spentMsOf(child.pid, at - startedAt);
      if (spentMs > moved.spentMs) moved = { spentMs, at };
      const isIdle = at - moved.at > idleMs;
      if (isIdle || spentMs > mostProcessorMs || memoryOf(child.pid) > mostMemoryBytes) end();
    }, watchMs);
    const settle = (found: ParserEnd): void => {
      clearInterval(watch);
      stop?.removeEventListener('abort', end);
      resolve(found);
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
      if (heard.length > mostCharacters) end();
    });
    child.on('error', () => settle({ why: 'no-reader' }));
    child.on('close', (code, signal) => {
      // Node ends itself with a signal when it runs out of memory.
      const isTooHard = isEnded || signal !== null || code === 134;
      settle(isTooHard ? { why: 'too-hard' } : heard === '' ? { why: 'no-reader' } : { heard });
    });
    // The process may end before it has read everything. How it ended says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(bytes);
  });
}

/** The last line of an answer as JSON. Undefined: it is none. */
export function answerIn(heard: string): unknown {
  try {
    return JSON.parse(heard.trim().split('\n').pop() ?? '');
  } catch {
    return undefined;
  }
}

function startOrNull({ programs, nodePath }: DocumentReaderOptions, args: readonly string[]): ChildProcess | null {
  try {
    return programs.start(nodePath, args, { needs: [], stdio: ['pipe', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

/** The kernel counts in ticks of this length on every Linux that we run on. */
const tickMs = 10;

/** The processor time of all threads; 0 once the process has ended. Only Linux reports it in a file: elsewhere all time counts. */
function spentMsOf(pid: number | undefined, elapsedMs: number): number {
  if (process.platform !== 'linux') return elapsedMs;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may have anything in it.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return user === undefined || system === undefined ? 0 : (user + system) * tickMs;
  } catch {
    return 0;
  }
}

/** Only Linux reports it in a file. Elsewhere only the heap and time limits apply. */
function memoryOf(pid: number | undefined): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return pages * 4096;
  } catch {
    return 0;
  }
}
