import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isMissing } from '../../lib/files/json-file.ts';
import { isRunning, processOf } from '../../lib/files/lock-owner.ts';
import { beginningFile, writerMark } from '../../lib/net/record-of-sends.ts';
import { noteFailure } from '../../lib/log.ts';
import { sentLineSchema, type SentLine } from '../../lib/net/sent-line.ts';
import type { RecordedLine } from './sent-rows.ts';

export interface RecordQuery {
  /** Whether a line counts. */
  readonly wants: (line: SentLine) => boolean;
  /** Only files that may have lines from this time on, and before that. In milliseconds since 1970. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly signal: AbortSignal;
}

export interface RecordAnswer {
  /** Lines, and files that cannot be read at all. */
  readonly unreadable: number;
  /** When the record began. */
  readonly sinceMs: number | null;
}

/** The clock of one process may be a day off from that of another, as after it was set. */
const spareMs = 48 * 60 * 60_000;

/**
 * Reads the record of what was sent, file by file. A line that a crash cut off at the end of a file was not completed,
 * so nothing was sent on its account.
 */
export async function readRecord(
  folder: string,
  { wants, fromMs = -Infinity, untilMs = Infinity, signal }: RecordQuery,
  take: (recorded: RecordedLine) => void,
): Promise<RecordAnswer> {
  let unreadable = 0;
  for (const name of [...(await namesIn(folder))].sort()) {
    const named = /^(\d{4})-(\d{2})-(\d+)-[0-9a-f]{8}([0-9a-f]{16})?\.jsonl$/u.exec(name);
    if (named === null) continue;
    const [, year, month, pid, mark = ''] = named;
    const began = Date.UTC(Number(year), Number(month) - 1);
    const ended = Date.UTC(Number(year), Number(month));
    if (ended + spareMs < fromMs || began - spareMs > untilMs) continue;
    const isLive = await isWriting(Number(pid), mark);
    try {
      for await (const { text, isWhole } of linesOf(join(folder, name), signal)) {
        const line = parsed(text);
        if (line === null) unreadable += isWhole ? 1 : 0;
        else if (wants(line)) take({ line, file: name, isLive });
      }
    } catch (error) {
      signal.throwIfAborted();
      noteFailure('A file of the record was not read for a receipt', error);
      unreadable += 1;
    }
  }
  return { unreadable, sinceMs: await beginning(folder) };
}

/** Where the system does not say when a process began, only its id counts. */
async function isWriting(pid: number, mark: string): Promise<boolean> {
  const owner = await processOf(pid);
  return (await isRunning(owner)) && (mark === '' || writerMark(owner) === mark);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // Nothing was sent yet.
    if (isMissing(error)) return [];
    throw error;
  }
}

/** When the record began. Null: there is none. */
async function beginning(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, beginningFile), 'utf8').catch(() => '');
  return /^\d+$/u.test(text) ? Number(text) : null;
}

/** `isWhole`: not the last line of the file. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<{ text: string; isWhole: boolean }> {
  const input = createReadStream(path, { encoding: 'utf8' });
  try {
    let held: string | null = null;
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      signal.throwIfAborted();
      if (held !== null) yield { text: held, isWhole: true };
      held = line;
    }
    if (held !== null) yield { text: held, isWhole: false };
  } finally {
    input.destroy();
  }
}

function parsed(text: string): SentLine | null {
  try {
    return sentLineSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
