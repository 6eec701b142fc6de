import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { DocumentKind, DocumentText } from '@shared/documents/document-text.ts';
import { mostTextBytes, unreadReasons } from '@shared/documents/document-text.ts';
import type { HostPrograms } from '../lib/programs/host-programs.ts';

/** Reads a document. A web page is in UTF-8, and comes from `url`. After an abort: `too-hard`. */
export type ReadDocument = (bytes: Uint8Array, asked: AskedDocument) => Promise<DocumentText>;

export interface AskedDocument {
  readonly kind: DocumentKind;
  readonly url?: string;
  readonly signal?: AbortSignal;
  /** Reads no further after this much text. Default: what a message may hold. */
  readonly mostBytes?: number;
}

export interface DocumentReaderOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `document-process`. */
  readonly processPath: string;
  /** The most processor time. A busy machine reads slower, not less. Where it is unknown, all time counts. */
  readonly mostProcessorMs?: number;
  readonly mostMemoryBytes?: number;
}

const usual = { mostProcessorMs: 20_000, mostMemoryBytes: 768 * 1024 * 1024 };
/** For a process that waits for something that never comes. */
const timeoutMs = 120_000;
const heapMb = 384;
const watchMs = 50;
/** Room for JSON escapes, and for the last page. */
const answerFactor = 16;

const answerSchema = z.union([
  z.object({ why: z.enum(unreadReasons) }),
  z.object({
    pages: z.number().int().positive(),
    texts: z.array(z.string()),
    names: z.array(z.string()).optional(),
    isCut: z.literal(true).optional(),
  }),
]);

/** Reads an untrusted file in a process that is ended when it takes too long or too much memory. */
export function createDocumentReader(options: DocumentReaderOptions): ReadDocument {
  const { mostProcessorMs, mostMemoryBytes } = { ...usual, ...options };
  return (bytes, { kind, url, signal: stop, mostBytes: wanted = maxTextBytes }) =>
    new Promise((resolve) => {
      const mostBytes = Math.min(wanted, mostTextBytes);
      const args = [`--max-old-space-size=${heapMb}`, options.processPath, kind, String(mostBytes)];
      if (url !== undefined) args.push(url);
      const child = startOrNull(options, args);
      if (child === null) return resolve({ ok: false, why: 'no-reader' });
      let heard = '';
      let isEnded = false;
      const end = (): void => {
        isEnded = true;
        child.kill('SIGKILL');
      };
      const timer = setTimeout(end, timeoutMs);
      stop?.addEventListener('abort', end, { once: true });
      if (stop?.aborted === true) end();
      const startedAt = performance.now();
      const watch = setInterval(() => {
        const spentMs = spentMsOf(child.pid, performance.now() - startedAt);
        if (spentMs > mostProcessorMs || memoryOf(child.pid) > mostMemoryBytes) end();
      }, watchMs);
      const settle = (found: DocumentText): void => {
        clearTimeout(timer);
        clearInterval(watch);
        stop?.removeEventListener('abort', end);
        resolve(found);
      };
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        heard += text;
        if (heard.length > mostBytes * answerFactor) end();
      });
      child.on('error', () => settle({ ok: false, why: 'no-reader' }));
      child.on('close', (code, signal) => {
        // Node ends itself with a signal when it runs out of memory.
        const isTooHard = isEnded || signal !== null || code === 134;
        settle(isTooHard ? { ok: false, why: 'too-hard' } : readAnswer(heard));
      });
      // The process may end before it has read everything. How it ended says why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(bytes);
    });
}

function startOrNull({ programs, nodePath }: DocumentReaderOptions, args: readonly string[]): ChildProcess | null {
  try {
    return programs.start(nodePath, args, { needs: [], stdio: ['pipe', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

/** The answer of the process is as untrusted as the file. */
function readAnswer(heard: string): DocumentText {
  try {
    const parsed = answerSchema.parse(JSON.parse(heard.trim().split('\n').pop() ?? ''));
    if ('why' in parsed) return { ok: false, why: parsed.why };
    const { pages, texts, names, isCut } = parsed;
    return { ok: true, pages, texts, ...(names === undefined ? {} : { names }), ...(isCut === true ? { isCut } : {}) };
  } catch {
    return { ok: false, why: heard === '' ? 'no-reader' : 'broken' };
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
