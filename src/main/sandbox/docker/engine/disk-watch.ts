import { childAbort } from '../../../lib/async/child-abort.ts';
import type { DeadlinePause } from '../../../lib/async/deadline-pause.ts';
import type { AskAboutDisk } from '../../sandbox.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { noteFailure, orNoted } from '../../../lib/log.ts';

/** In bytes, unless files are counted. */
export interface DiskSpace {
  readonly free: number;
  readonly size: number;
}

export interface WatchedDisk {
  /** For users, inside a sentence: `the disk of the project`. */
  readonly name: string;
  /** A file system can run out of files with bytes left. */
  readonly counts: 'bytes' | 'files';
  /** Resolves to null or rejects if the space cannot be read now. */
  readonly space: () => Promise<DiskSpace | null>;
  /** The time between two looks, in milliseconds. */
  readonly everyMs: number;
}

export interface DiskWatchOptions {
  readonly signal: AbortSignal;
  /** Stops the command's time limit while the user is asked. */
  readonly hold: DeadlinePause;
  /** Pauses everything in the container. Rejects if that is not possible. */
  readonly freeze: () => Promise<unknown>;
  readonly thaw: () => Promise<unknown>;
  /** Null: there is nobody to ask. */
  readonly ask: AskAboutDisk | null;
}

export interface DiskWatch {
  /** Aborts with the given signal, and when a disk is nearly full and the command must not go on. */
  readonly signal: AbortSignal;
  /** What happened, for the reader of the result. Null while there is room. */
  readonly problem: () => string | null;
  /** Watches a disk from now on. Space that was taken before does not count. */
  readonly watch: (disk: WatchedDisk) => void;
  readonly stop: () => void;
}

const mebibyte = 1024 * 1024;

/**
 * Stops a command before it fills a disk. Mounted folders and volumes have no limit of their own, and a full disk
 * stops everything else on the machine. The command is paused while the user is asked, so that nothing is lost if
 * the user frees space. If nobody can be asked, or it cannot be paused, it is ended. Only space that was taken
 * during the command counts, so a disk that was nearly full before is no reason.
 */
export function watchDisks(options: DiskWatchOptions): DiskWatch {
  const child = childAbort(options.signal);
  const over = new AbortController();
  // After a cancel, the container must not stay paused.
  child.signal.addEventListener('abort', () => over.abort(), { once: true });
  const timers: NodeJS.Timeout[] = [];
  let problem: string | null = null;
  let isAsking = false;
  const meet = async (disk: WatchedDisk, found: DiskSpace, before: number): Promise<void> => {
    const fact = `${disk.name} is nearly full: ${leftOf(disk, found.free)}, ${amountOf(disk, before - found.free)} less than when the command began`;
    isAsking = true;
    const isWanted = await pause(options, { fact, disk, signal: over.signal });
    isAsking = false;
    if (isWanted || over.signal.aborted) return;
    problem = `ended because ${fact}`;
    child.abort();
  };
  const watch = (disk: WatchedDisk): void => {
    let freeAtStart: number | null = null;
    let isLooking = false;
    const look = async (): Promise<void> => {
      if (isLooking || isAsking || problem !== null) return;
      isLooking = true;
      const found = await spaceNow(disk);
      if (found !== null && found.size > 0 && !isAsking) {
        freeAtStart ??= found.free;
        if (isNearlyFull({ ...found, freeAtStart }, disk.counts)) {
          await meet(disk, found, freeAtStart);
          // Freed space may be used again, so the next question comes when it is used up. If there is still too
          // little room, which could not be measured during the pause, it comes at once.
          const left = await spaceNow(disk);
          if (left !== null && !isLow(left, disk.counts)) freeAtStart = left.free;
        }
      }
      isLooking = false;
    };
    void look();
    timers.push(setInterval(() => void look(), disk.everyMs).unref());
  };
  const stop = (): void => {
    for (const timer of timers) clearInterval(timer);
    over.abort();
    child.release();
  };
  return { signal: child.signal, problem: () => problem, watch, stop };
}

// Space that cannot be measured stops no command.
const spaceNow = (disk: WatchedDisk): Promise<DiskSpace | null> => disk.space().catch(() => null);

interface Pause {
  readonly fact: string;
  readonly disk: WatchedDisk;
  /** Aborted when the command is over. */
  readonly signal: AbortSignal;
}

/**
 * Whether the command may go on. If the user says yes while there is still too little room, the question is repeated
 * with the current numbers.
 */
async function pause({ ask, freeze, thaw, hold }: DiskWatchOptions, about: Pause): Promise<boolean> {
  const { disk, signal } = about;
  if (ask === null || signal.aborted) return false;
  hold.begin();
  try {
    await freeze();
    try {
      for (let text = sentence(about.fact); ;) {
        if ((await ask(text, signal)) === 'stop') return false;
        const now = await spaceNow(disk);
        if (now === null || !isLow(now, disk.counts)) return true;
        text = sentence(`the disk is still too full: ${leftOf(disk, now.free)} on ${disk.name}`);
      }
    } finally {
      // A container that is gone cannot be resumed, and need not be.
      await thaw().catch(orNoted('sandbox: a frozen container was not thawed', undefined));
    }
  } catch (error) {
    // Nobody could be asked, or the container is gone. Then the command ends.
    noteFailure('sandbox: nobody could be asked about a full disk', error);
    return false;
  } finally {
    hold.end();
  }
}

function sentence(fact: string): string {
  return `${fact[0]?.toUpperCase() ?? ''}${fact.slice(1)}. The command is paused. Free some space, then continue.`;
}

type Counts = WatchedDisk['counts'];

function amountOf({ counts }: WatchedDisk, amount: number): string {
  return counts === 'bytes' ? sizeText(amount) : `${amount} files`;
}

function leftOf(disk: WatchedDisk, free: number): string {
  return disk.counts === 'bytes' ? `${amountOf(disk, free)} are left` : `${amountOf(disk, free)} more can be made`;
}

/**
 * A disk is low if less than the smaller of this and a twentieth of its size is free. It is nearly full if the
 * command has also taken more than `many`.
 */
const few: Readonly<Record<Counts, number>> = { bytes: 1024 * mebibyte, files: 100_000 };
const many: Readonly<Record<Counts, number>> = { bytes: 64 * mebibyte, files: 10_000 };

function isLow({ free, size }: DiskSpace, counts: Counts): boolean {
  return free < Math.min(few[counts], size * 0.05);
}

export function isNearlyFull(disk: DiskSpace & { readonly freeAtStart: number }, counts: Counts): boolean {
  return isLow(disk, counts) && disk.freeAtStart - disk.free > many[counts];
}
