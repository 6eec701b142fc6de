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

export async function thisProcess(): Promise<LockOwner> {
  return { pid: process.pid, startedAt: await startOf(process.pid), boot: await bootId() };
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
async function startOf(pid: number): Promise<string | null> {
  const stat = await readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the program's name in brackets and may contain anything. The third is the state, the 22nd the
  // start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? null);
}

async function bootId(): Promise<string | null> {
  return (await readText('/proc/sys/kernel/random/boot_id'))?.trim() ?? null;
}

async function readText(path: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Not every system has it.
    return null;
  }
}
