import { closeSync, fdatasync, fstatSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../lib/json-file.ts';
import type { LineCodec, Purse, PurseFile } from './purse.ts';
import { createPurse } from './purse.ts';
import type { PurseRecord, Scope } from './purse-state.ts';

const syncData = promisify(fdatasync);
const lineEnd = 0x0a;
/** A longer purse is made short when it is opened: about 20,000 calls. */
const longBytes = 8 * 1024 * 1024;
const dayMs = 86_400_000;

/** The file on the disk. Appends of several processes do not mix: the system puts each at the end in one piece. */
export function openPurseFile(path: string): PurseFile {
  const fd = openSync(path, 'a+', 0o600);
  return {
    append: (bytes) => writeSync(fd, bytes, 0, bytes.length),
    readFrom: (offset) => {
      const length = fstatSync(fd).size - offset;
      const bytes = Buffer.alloc(Math.max(0, length));
      return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, offset));
    },
    sync: () => syncData(fd),
    close: () => closeSync(fd),
  };
}

export interface OpenPurseOptions {
  readonly path: string;
  readonly codec: LineCodec;
  readonly now: () => number;
  /** What the logs of the home say was spent so far: where a purse is missing or damaged, it begins with that. */
  readonly fromLogs: () => Promise<readonly PurseRecord[]>;
  /** What the log says a call has cost that its process did not settle, in nanodollars; null: nobody knows. */
  readonly costInLog: (sessionId: string, step: number) => Promise<number | null>;
}

/**
 * Opens the purse of a home for the process that owns it; nobody else may have it open. A damaged file is moved aside.
 * What a dead process held is settled from the logs; what they do not know counts at its worst case.
 */
export async function openPurse(options: OpenPurseOptions): Promise<Purse> {
  const { path, codec, now } = options;
  if (!isThere(path)) await begin(options);
  let purse = open(options);
  if (purse.damagedLines() > 0) {
    purse.close();
    await rename(path, `${path}.damaged-${now()}`);
    await begin(options);
    purse = open(options);
  }
  for (const call of purse.open()) {
    const cost = call.keys.session === null ? null : await options.costInLog(call.keys.session, call.step);
    purse.settle(call.id, cost ?? call.nano);
  }
  if (statSync(path).size <= longBytes) return purse;
  const kept = purse.balance(now(), isNeeded(now()));
  purse.close();
  await writeLines(path, kept, codec);
  return open(options);
}

function open({ path, codec, now }: OpenPurseOptions): Purse {
  const file = openPurseFile(path);
  // A line that a power cut left without its end goes: what was in it had not been granted.
  const bytes = file.readFrom(0);
  if (bytes.length > 0 && bytes.at(-1) !== lineEnd) truncateSync(path, bytes.lastIndexOf(lineEnd) + 1);
  return createPurse(file, codec, now);
}

async function begin({ path, codec, fromLogs }: OpenPurseOptions): Promise<void> {
  await writeLines(path, await fromLogs(), codec);
}

async function writeLines(path: string, records: readonly PurseRecord[], codec: LineCodec): Promise<void> {
  await writeFileAtomic(path, Buffer.concat(records.map((record) => codec.seal(record))));
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Tasks are over when a purse is opened; days and months are, once they have passed. */
function isNeeded(at: number): (scope: Scope, key: string) => boolean {
  const oldestDay = new Date(at - 3 * dayMs).toISOString().slice(0, 10);
  const oldestMonth = new Date(at - 40 * dayMs).toISOString().slice(0, 7);
  return (scope, key) => {
    if (scope === 'task') return false;
    if (scope === 'day') return key >= oldestDay;
    return scope !== 'month' || key >= oldestMonth;
  };
}
