import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';

/** The text of a file by its pages, as many as a message may take; or why there is none. */
export type DocumentText =
  | { readonly ok: true; readonly pages: number; readonly texts: readonly string[] }
  | { readonly ok: false; readonly why: 'encrypted' | 'broken' | 'too-hard' | 'no-reader' };

/** A PDF; with `url`, a page of the web from there, in UTF-8, whose text is one page of Markdown. An abort ends it as too hard. */
export type ReadDocument = (
  bytes: Uint8Array,
  page?: { readonly url?: string; readonly signal?: AbortSignal },
) => Promise<DocumentText>;

export interface DocumentReaderOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `document-process`. */
  readonly processPath: string;
  readonly timeoutMs?: number;
  readonly mostMemoryBytes?: number;
}

const usual = { timeoutMs: 20_000, mostMemoryBytes: 768 * 1024 * 1024 };
const heapMb = 384;
const watchMs = 50;
/** A text and what JSON makes of it. */
const mostAnswerBytes = maxTextBytes * 16;

const answerSchema = z.union([
  z.object({ why: z.enum(['encrypted', 'broken']) }),
  z.object({ pages: z.number().int().positive(), texts: z.array(z.string()) }),
]);

/** A file is data of strangers: it is read by a process that is ended when it takes too long or too much memory. */
export function createDocumentReader(options: DocumentReaderOptions): ReadDocument {
  const { timeoutMs, mostMemoryBytes } = { ...usual, ...options };
  return (bytes, page = {}) =>
    new Promise((resolve) => {
      const args = [`--max-old-space-size=${heapMb}`, options.processPath, String(maxTextBytes)];
      if (page.url !== undefined) args.push(page.url);
      const child = startOrNull(options, args);
      if (child === null) return resolve({ ok: false, why: 'no-reader' });
      let heard = '';
      let isEnded = false;
      const end = (): void => {
        isEnded = true;
        child.kill('SIGKILL');
      };
      const timer = setTimeout(end, timeoutMs);
      const { signal: stop } = page;
      stop?.addEventListener('abort', end, { once: true });
      if (stop?.aborted === true) end();
      const watch = setInterval(() => {
        if (memoryOf(child.pid) > mostMemoryBytes) end();
      }, watchMs);
      const settle = (found: DocumentText): void => {
        clearTimeout(timer);
        clearInterval(watch);
        stop?.removeEventListener('abort', end);
        resolve(found);
      };
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        heard += text;
        if (heard.length > mostAnswerBytes) end();
      });
      child.on('error', () => settle({ ok: false, why: 'no-reader' }));
      child.on('close', (code, signal) => {
        // Without memory Node ends itself, by a signal.
        const isTooHard = isEnded || signal !== null || code === 134;
        settle(isTooHard ? { ok: false, why: 'too-hard' } : readAnswer(heard));
      });
      // It may end before it has read all: how it ended says why.
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

/** What it says is as little trusted as what it read. */
function readAnswer(heard: string): DocumentText {
  try {
    const parsed = answerSchema.parse(JSON.parse(heard.trim().split('\n').pop() ?? ''));
    return 'why' in parsed ? { ok: false, why: parsed.why } : { ok: true, ...parsed };
  } catch {
    return { ok: false, why: heard === '' ? 'no-reader' : 'broken' };
  }
}

/** Only Linux says it in a file; elsewhere the limits of heap and time hold. */
function memoryOf(pid: number | undefined): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return pages * 4096;
  } catch {
    return 0;
  }
}
