import { readFileSync } from 'node:fs';
import { sizeText } from '@shared/text/size-text.ts';

/** The memory of a process and the limit on it, in bytes. */
interface MemoryRoom {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Reads a system file. Null if it does not exist. */
type ReadText = (path: string) => string | null;

/** Less than the stacks of a few threads. A program that starts a thread then ends without a message. */
const nearBytes = 64 * 1024 * 1024;

/** Watches the memory of a process while it lives, to explain later why it ended. Works on Linux only. */
export interface MemoryWatch {
  /** Call it often while the process runs, above all near its limits. */
  look(): void;
  /** Whether the process had limits at the last look. */
  readonly isLimited: boolean;
  /** Whether hardly any room was left at the last look. */
  readonly isNearLimit: boolean;
  /**
   * Why lack of memory ended the process, in words. Null if nothing indicates that.
   * @param signal the signal that ended the process
   * @param isSilent whether it ended without a message
   */
  verdict(signal: NodeJS.Signals | null, isSilent?: boolean): string | null;
}

export function watchMemory(pid: number | undefined, read: ReadText = readText): MemoryWatch {
  const killsBefore = oomKills(read);
  let room: MemoryRoom | null = null;
  const isNearLimit = (): boolean => room !== null && room.limitBytes - room.usedBytes < nearBytes;
  return {
    look() {
      if (pid !== undefined) room = memoryRoom(pid, read) ?? room;
    },
    get isLimited() {
      return room !== null;
    },
    get isNearLimit() {
      return isNearLimit();
    },
    verdict(signal, isSilent = false) {
      if (signal === 'SIGKILL') {
        const kills = oomKills(read);
        const isKilled = kills !== null && killsBefore !== null && kills > killsBefore;
        return isKilled ? 'The system ran out of memory and ended it.' : null;
      }
      if (room === null) return null;
      const allowed = `the ${sizeText(room.limitBytes)} that its limits allow`;
      if (isNearLimit()) return `It used ${sizeText(room.usedBytes)} of ${allowed}.`;
      // On a busy machine, the last look can be long before the end. A program that aborts for another reason prints
      // a message.
      return isSilent && signal === 'SIGABRT'
        ? `It stopped without a message, as programs do that have no room for a thread in ${allowed}.`
        : null;
    },
  };
}

/** Null if the process has no limits or is gone, or the system does not show it. */
function memoryRoom(pid: number, read: ReadText): MemoryRoom | null {
  const limits = read(`/proc/${pid}/limits`);
  if (limits === null) return null;
  const data = limitIn(limits, 'Max data size');
  const space = limitIn(limits, 'Max address space');
  if (data === null && space === null) return null;
  const status = read(`/proc/${pid}/status`);
  if (status === null) return null;
  const rooms = [
    { limitBytes: data, usedBytes: sizeIn(status, 'VmData') },
    { limitBytes: space, usedBytes: sizeIn(status, 'VmSize') },
  ].filter((room): room is MemoryRoom => room.limitBytes !== null && room.usedBytes !== null);
  return (
    rooms.sort((left, right) => left.limitBytes - left.usedBytes - (right.limitBytes - right.usedBytes))[0] ?? null
  );
}

function limitIn(limits: string, name: string): number | null {
  const soft = new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

function sizeIn(status: string, name: string): number | null {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** The number of processes that the system killed for lack of memory since it started. */
function oomKills(read: ReadText): number | null {
  const count = /^oom_kill (\d+)/m.exec(read('/proc/vmstat') ?? '')?.[1];
  return count === undefined ? null : Number(count);
}

function readText(path: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process is gone, or this system does not show it.
    return null;
  }
}
