import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { clockNow } from '../async/clock.ts';
import { errorCodeOf } from '../files/json-file.ts';
import { thisProcessAtOnce, type LockOwner } from '../files/lock-owner.ts';
import { sha256Of } from '../sha256.ts';
import { SocketCounts, type CountOptions } from './counted-sockets.ts';
import { reasonNow } from './send-reason.ts';
import type { SentLine } from './sent-line.ts';

export interface SendRecord {
  /** Notes everything until now. */
  readonly settle: () => void;
  /** Counts no new connections. Those that are open are counted until they or the process end. */
  readonly close: () => void;
}

/** The folder of the record inside a home. */
export const sentFolder = (home: string): string => join(home, 'sent');

interface Keeping {
  readonly folder: string;
  readonly note: (line: SentLine) => void;
}

const keeping: Keeping[] = [];

/** Where this process keeps its record, for the processes that it starts. Null: it keeps none. */
export const recordFolder = (): string | null => keeping.at(-1)?.folder ?? null;

/**
 * Counts what this process sends, and keeps it in a file of its own for each month, to which it only adds. A line is
 * with the system before the bytes that it announces, so a killed process leaves a whole record.
 */
export function recordSends(folder: string, how: Partial<CountOptions> = {}): SendRecord {
  const now = how.now ?? clockNow;
  const file = createFile(folder);
  noteBeginning(folder, now());
  const local = createLocalSums((line) => file.add(line));
  const note = (line: SentLine): void => (line.isHere ? local.add(line) : file.add(line));
  const counts = new SocketCounts({ note, now, ...(how.isHere === undefined ? {} : { isHere: how.isHere }) });
  const mine: Keeping = { folder, note };
  keeping.push(mine);
  const settle = (): void => {
    counts.settle();
    local.flush();
  };
  const onExit = (): void => {
    counts.finish();
    local.flush();
  };
  process.on('exit', onExit);
  return {
    settle,
    close: () => {
      const at = keeping.indexOf(mine);
      if (at >= 0) keeping.splice(at, 1);
      counts.stop(() => {
        process.off('exit', onExit);
        local.flush();
        file.close();
      });
    },
  };
}

/** Notes that a program starts whose own connections nobody can count. Throws if that cannot be written. */
export function noteUnseen(host: string): void {
  const { passesOn: _passesOn, host: _host, ...why } = reasonNow();
  for (const { note } of keeping)
    note({ at: clockNow(), id: 0, state: 'unseen', host, port: null, isHere: false, out: 0, in: 0, why });
}

/** A file whose content is when the record of a home began. */
export const beginningFile = 'since';

function noteBeginning(folder: string, now: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, beginningFile), String(now), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
}

const localMs = 60_000;

/** What stays on this machine are many short connections, so they are added up: a line a minute for each place. */
function createLocalSums(add: (line: SentLine) => void): {
  readonly add: (line: SentLine) => void;
  readonly flush: () => void;
} {
  const sums = new Map<string, SentLine>();
  let since = 0;
  const flush = (): void => {
    for (const line of sums.values()) add(line);
    sums.clear();
  };
  return {
    flush,
    add: (line) => {
      if (sums.size === 0) since = line.at;
      const key = JSON.stringify([line.host, line.port, line.why.sessionId, line.why.project]);
      const { out = 0, in: into = 0 } = sums.get(key) ?? {};
      sums.set(key, { ...line, id: 0, state: 'more', out: out + line.out, in: into + line.in });
      if (line.at - since >= localMs) flush();
    },
  };
}

/** In the name of a file: tells its writer from a later process with the same id. Empty if the system does not. */
export function writerMark({ startedAt, boot }: LockOwner): string {
  return startedAt === null ? '' : sha256Of(`${boot} ${startedAt}`).slice(0, 16);
}

function createFile(folder: string): { readonly add: (line: SentLine) => void; readonly close: () => void } {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}${writerMark(thisProcessAtOnce())}.jsonl`;
  let open: { readonly month: string; readonly file: number } | null = null;
  const close = (): void => {
    if (open !== null) closeSync(open.file);
    open = null;
  };
  return {
    close,
    add: (line) => {
      const month = new Date(line.at).toISOString().slice(0, 7);
      if (open?.month !== month) {
        close();
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        open = { month, file: openSync(join(folder, `${month}-${name}`), 'a', 0o600) };
      }
      writeSync(open.file, `${JSON.stringify(line)}\n`);
    },
  };
}
