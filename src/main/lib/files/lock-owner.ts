import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errorCodeOf } from './json-file.ts';

/**
 * A process, distinguishable from a later one with the same id. `startedAt`: in kernel ticks since `boot`; null if the
 * system does not report it, and then only the id counts.
 */
export interface LockOwner {
  readonly pid: number;
  readonly startedAt: string | null;
  readonly boot: string | null;
}

export const thisProcess = (): Promise<LockOwner> => processOf(process.pid);

/** The process that has this id now, as far as the system reports it. */
export async function processOf(pid: number): Promise<LockOwner> {
  return { pid, startedAt: await startOf(pid), boot: await bootId() };
}

/** As `thisProcess`, without a wait. */
export function thisProcessAtOnce(): LockOwner {
  const read = (path: string): string | null => {
    if (process.platform !== 'linux') return null;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // Not every system has it.
      return null;
    }
  };
  return { pid: process.pid, startedAt: startIn(read(statPath(process.pid))), boot: bootIn(read(bootPath)) };
}

/** Null for anything but the text of a lock. */
export function ownerFrom(text: string): LockOwner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Damaged: the owner is unknown, and cannot recognize it as its own either.
    return null;
  }
  if (typeof value !== 'object' || value === null || !('pid' in value)) return null;
  const { pid } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return null;
  return { pid, startedAt: textIn(value, 'startedAt'), boot: textIn(value, 'boot') };
}

function textIn(value: object, key: string): string | null {
  const text: unknown = Reflect.get(value, key);
  return typeof text === 'string' && text !== '' ? text : null;
}

/** Whether exactly this process still runs. If that is unknown, it counts as running. */
export async function isRunning(owner: LockOwner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user. Any other error means that it does not exist.
    if (errorCodeOf(error) !== 'EPERM') return false;
  }
  const boot = await bootId();
  if (owner.boot !== null && boot !== null && owner.boot !== boot) return false;
  const startedAt = await startOf(owner.pid);
  return startedAt === null || owner.startedAt === null || startedAt === owner.startedAt;
}

/** When a process started; null if unknown. A zombie counts as gone. */
const startOf = async (pid: number): Promise<string | null> => startIn(await readText(statPath(pid)));

const statPath = (pid: number): string => `/proc/${pid}/stat`;
const bootPath = '/proc/sys/kernel/random/boot_id';

function startIn(stat: string | null): string | null {
  if (stat === null) return null;
  // The second field is the program's name in brackets and may contain anything. The third is the state, the 22nd the
  // start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? null);
}

const bootId = async (): Promise<string | null> => bootIn(await readText(bootPath));

const bootIn = (text: string | null): string | null => text?.trim() ?? null;

async function readText(path: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Not every system has it.
    return null;
  }
}
