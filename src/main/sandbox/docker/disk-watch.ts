import { statfs } from 'node:fs/promises';
import { childAbort } from '../../lib/child-abort.ts';
import type { Hold } from '../../lib/hold.ts';
import type { AskAboutDisk } from '../sandbox.ts';

/** In bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly size: number;
}

export interface DiskWatchOptions {
  /** A folder on the disk that is watched. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** While a person is asked no time passes for the command. */
  readonly hold: Hold;
  /** Everything in the container stands still, with all it has; rejects where that cannot be done. */
  readonly freeze: () => Promise<unknown>;
  readonly thaw: () => Promise<unknown>;
  /** Null: there is nobody to ask. */
  readonly ask: AskAboutDisk | null;
  /** Null where it cannot be told. */
  readonly space?: (path: string) => Promise<DiskSpace | null>;
  /** Between two looks, in milliseconds. */
  readonly everyMs?: number;
}

export interface DiskWatch {
  /** Aborts with the given one, and when the disk is nearly full and nobody wants to go on. */
  readonly signal: AbortSignal;
  /** What happened, for whoever reads the result; null while there is room. */
  readonly problem: () => string | null;
  readonly stop: () => void;
}

const mebibyte = 1024 * 1024;

/**
 * Stops a command before it has filled the disk of the project: a folder that is mounted has no limit of its own, and a
 * full disk stops everything else on the machine. It stands still while a person is asked, so that nothing of it is lost
 * when room can be made; where nobody can be asked, or it cannot be made to stand still, it is ended. Only what was
 * taken while it ran counts, so that a disk that was nearly full before is no reason.
 */
export function watchDisk(options: DiskWatchOptions): DiskWatch {
  const { path, signal, space = spaceOf, everyMs = 500 } = options;
  const child = childAbort(signal);
  const over = new AbortController();
  // Whoever cancels must not find it standing still.
  child.signal.addEventListener('abort', () => over.abort(), { once: true });
  let problem: string | null = null;
  let freeAtStart: number | null = null;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking || problem !== null) return;
    isLooking = true;
    const found = await space(path).catch(() => null);
    if (found !== null && found.size > 0) {
      freeAtStart ??= found.free;
      if (isNearlyFull({ ...found, freeAtStart })) await meet(found, freeAtStart);
    }
    isLooking = false;
  };
  const meet = async (found: DiskSpace, before: number): Promise<void> => {
    const fact = `the disk of the project is nearly full: ${inMegabytes(found.free)} are left, ${inMegabytes(before - found.free)} less than when the command began`;
    const isWanted = await pause(options, { fact, space, signal: over.signal });
    if (isWanted) {
      // What was freed may be taken again: the next question comes when that has been used up.
      freeAtStart = (await space(path).catch(() => null))?.free ?? freeAtStart;
      return;
    }
    if (over.signal.aborted) return;
    problem = `ended because ${fact}`;
    child.abort();
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    over.abort();
    child.release();
  };
  return { signal: child.signal, problem: () => problem, stop };
}

interface Pause {
  readonly fact: string;
  readonly space: NonNullable<DiskWatchOptions['space']>;
  /** Aborted when the command is over. */
  readonly signal: AbortSignal;
}

/** Whether the command is to go on. A yes while there is still no room is asked again, with what there is. */
async function pause({ ask, freeze, thaw, hold, path }: DiskWatchOptions, about: Pause): Promise<boolean> {
  const { space, signal } = about;
  if (ask === null || signal.aborted) return false;
  hold.begin();
  try {
    await freeze();
    try {
      for (let text = sentence(about.fact); ;) {
        if ((await ask(text, signal)) === 'stop') return false;
        const now = await space(path).catch(() => null);
        if (now === null || !isLow(now)) return true;
        text = sentence(`there is still no room: ${inMegabytes(now.free)} are left on the disk of the project`);
      }
    } finally {
      // A container that has gone meanwhile cannot be thawed, and need not be.
      await thaw().catch(() => undefined);
    }
  } catch {
    return false;
  } finally {
    hold.end();
  }
}

function sentence(fact: string): string {
  return `${fact[0]?.toUpperCase() ?? ''}${fact.slice(1)}. The command stands still. Make room, then let it go on.`;
}

const inMegabytes = (bytes: number): string => `${Math.round(bytes / mebibyte)} MB`;

async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, bsize, blocks } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

function isLow({ free, size }: DiskSpace): boolean {
  return free < Math.min(1024 * mebibyte, size * 0.05);
}

/** All in bytes. */
export function isNearlyFull(disk: DiskSpace & { readonly freeAtStart: number }): boolean {
  return isLow(disk) && disk.freeAtStart - disk.free > 64 * mebibyte;
}
