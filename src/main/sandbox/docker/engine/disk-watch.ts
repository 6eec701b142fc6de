import { childAbort } from '../../../lib/async/child-abort.ts';
import type { DeadlinePause } from '../../../lib/async/deadline-pause.ts';
import type { AskAboutDisk } from '../../sandbox.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** In bytes, unless it is said that files are counted. */
export interface DiskSpace {
  readonly free: number;
  readonly size: number;
}

export interface WatchedDisk {
  /** For people, in the middle of a sentence: `the disk of the project`. */
  readonly name: string;
  /** A file system can be out of files with bytes left. */
  readonly counts: 'bytes' | 'files';
  /** Null, or rejected, where it cannot be told now. */
  readonly space: () => Promise<DiskSpace | null>;
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
}

export interface DiskWatchOptions {
  readonly signal: AbortSignal;
  /** While a person is asked no time passes for the command. */
  readonly hold: DeadlinePause;
  /** Everything in the container stands still, with all it has; rejects where that cannot be done. */
  readonly freeze: () => Promise<unknown>;
  readonly thaw: () => Promise<unknown>;
  /** Null: there is nobody to ask. */
  readonly ask: AskAboutDisk | null;
}

export interface DiskWatch {
  /** Aborts with the given one, and when a disk is nearly full and nobody wants to go on. */
  readonly signal: AbortSignal;
  /** What happened, for whoever reads the result; null while there is room. */
  readonly problem: () => string | null;
  /** From now on; what was taken before does not count. */
  readonly watch: (disk: WatchedDisk) => void;
  readonly stop: () => void;
}

const mebibyte = 1024 * 1024;

/**
 * Stops a command before it has filled a disk: neither a folder that is mounted nor a volume has a limit of its own, and
 * a full disk stops everything else on the machine. It stands still while a person is asked, so that nothing of it is
 * lost when room can be made; where nobody can be asked, or it cannot be made to stand still, it is ended. Only what was
 * taken while it ran counts, so that a disk that was nearly full before is no reason.
 */
export function watchDisks(options: DiskWatchOptions): DiskWatch {
  const child = childAbort(options.signal);
  const over = new AbortController();
  // Whoever cancels must not find it standing still.
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
          // What was freed may be taken again: the next question comes when that has been used up. Where there is still
          // no room, which nobody could tell while all stood still, it comes at once.
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

// Unknown: what cannot be measured stops no command.
const spaceNow = (disk: WatchedDisk): Promise<DiskSpace | null> => disk.space().catch(() => null);

interface Pause {
  readonly fact: string;
  readonly disk: WatchedDisk;
  /** Aborted when the command is over. */
  readonly signal: AbortSignal;
}

/** Whether the command is to go on. A yes while there is still no room is asked again, with what there is. */
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
      // A container that has gone meanwhile cannot be thawed, and need not be.
      await thaw().catch(() => undefined);
    }
  } catch {
    // Nobody could be asked, or the container is gone: the command ends.
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

/** Where less than this is left, or than a twentieth of all, a disk is nearly full; where a command took more, by it. */
const few: Readonly<Record<Counts, number>> = { bytes: 1024 * mebibyte, files: 100_000 };
const many: Readonly<Record<Counts, number>> = { bytes: 64 * mebibyte, files: 10_000 };

function isLow({ free, size }: DiskSpace, counts: Counts): boolean {
  return free < Math.min(few[counts], size * 0.05);
}

export function isNearlyFull(disk: DiskSpace & { readonly freeAtStart: number }, counts: Counts): boolean {
  return isLow(disk, counts) && disk.freeAtStart - disk.free > many[counts];
}
