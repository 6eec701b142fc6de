import { readFileSync } from 'node:fs';
import { sizeText } from '@shared/text/size-text.ts';

/** What a process may still take of the memory that its own limits leave it. Bytes. */
interface MemoryRoom {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Reads a file of the system; null where there is none. */
type ReadText = (path: string) => string | null;

/** Less than the stacks of a few threads: a program that starts one then ends without a word. */
const nearBytes = 64 * 1024 * 1024;

/** Looks at the memory of a process while it lives, for the question why it ended. Tells nothing but on Linux. */
export interface MemoryWatch {
  /** To be called while the process runs, and often where it may be near its limits. */
  look(): void;
  /** Whether the process had limits when it was last looked at. */
  readonly isLimited: boolean;
  /** Whether there was hardly any room left then. */
  readonly isNearLimit: boolean;
  /**
   * Why memory is what ended it, in words; null where nothing says so.
   * @param signal what the process was ended by
   * @param isSilent it said nothing before
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
      // On a busy machine the last look can be far from the end. Whatever else makes a program abort, it says so.
      return isSilent && signal === 'SIGABRT'
        ? `It stopped without a message, as programs do that have no room for a thread in ${allowed}.`
        : null;
    },
  };
}

/** Null: without limits, gone, or not known on this system. */
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

/** How many processes the system has ended for want of memory since it was started. */
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
