import { describe, expect, it } from 'vitest';
import type { AskAboutDisk } from '../../../../../src/main/sandbox/sandbox.ts';
import { createDeadlinePause } from '../../../../../src/main/lib/async/deadline-pause.ts';
import {
  type DiskWatchOptions,
  isNearlyFull,
  type WatchedDisk,
  watchDisks,
} from '../../../../../src/main/sandbox/docker/engine/disk-watch.ts';

const gib = 1024 ** 3;
const mib = 1024 ** 2;

const nothing = async (): Promise<void> => undefined;

/** Watches a disk with the given amounts of free space, one for each look. The last one repeats. */
function watched({ free, ...options }: Partial<DiskWatchOptions> & { readonly free: number[] }) {
  const never = new AbortController().signal;
  const watch = watchDisks({
    signal: never,
    hold: createDeadlinePause(),
    freeze: nothing,
    thaw: nothing,
    ask: null,
    ...options,
  });
  watch.watch(diskOf('the disk of the project', free));
  return watch;
}

function diskOf(name: string, free: number[]): WatchedDisk {
  const next = (): number => (free.length > 1 ? free.shift() : free[0]) ?? 0;
  return { name, counts: 'bytes', space: async () => ({ size: 100 * gib, free: next() }), everyMs: 2 };
}

describe('a disk that a command fills', () => {
  it('is nearly full when little is left and the command used it', () => {
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 40 * gib, free: 0.9 * gib }, 'bytes')).toBe(true);
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 40 * gib, free: 1.1 * gib }, 'bytes')).toBe(false);
    expect(isNearlyFull({ size: 300 * mib, freeAtStart: 290 * mib, free: 10 * mib }, 'bytes')).toBe(true);
    expect(isNearlyFull({ size: 300 * mib, freeAtStart: 290 * mib, free: 20 * mib }, 'bytes')).toBe(false);
  });

  it('can run out of files while bytes are left', () => {
    const size = 16_000_000;
    expect(isNearlyFull({ size, freeAtStart: 900_000, free: 99_000 }, 'files')).toBe(true);
    expect(isNearlyFull({ size, freeAtStart: 900_000, free: 101_000 }, 'files')).toBe(false);
    expect(isNearlyFull({ size, freeAtStart: 99_000, free: 98_000 }, 'files')).toBe(false);
  });

  it('does not end the command if it was full before', () => {
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 0.5 * gib, free: 0.49 * gib }, 'bytes')).toBe(false);
    expect(isNearlyFull({ size: 32 * mib, freeAtStart: 32 * mib, free: 0 }, 'bytes')).toBe(false);
  });

  it('is watched silently while there is room, and the person can still cancel', () => {
    const cancel = new AbortController();
    const watch = watched({ free: [40 * gib], signal: cancel.signal });
    expect([watch.problem(), watch.signal.aborted]).toEqual([null, false]);
    cancel.abort();
    expect(watch.signal.aborted).toBe(true);
    watch.stop();
  });

  it('pauses the command while a person is asked, and again while there is no room', async () => {
    const happened: string[] = [];
    const note = (what: string) => async (): Promise<void> => void happened.push(what);
    const answers = ['go-on', 'go-on'] as const;
    let asked = 0;
    const hold = createDeadlinePause();
    const thawed = new Promise<void>((resolve) => {
      const watch = watched({
        free: [40 * gib, 0.9 * gib, 0.5 * gib, 30 * gib],
        hold,
        freeze: note('frozen'),
        thaw: async () => {
          happened.push('thawed');
          expect([watch.problem(), watch.signal.aborted]).toEqual([null, false]);
          watch.stop();
          resolve();
        },
        ask: async (text) => {
          happened.push(text);
          asked += 1;
          return answers[asked - 1] ?? 'stop';
        },
      });
    });
    await thawed;
    expect(happened).toEqual([
      'frozen',
      'The disk of the project is nearly full: 966 MB are left, 42.0 GB less than when the command began. The command is paused. Free some space, then continue.',
      'The disk is still too full: 537 MB are left on the disk of the project. The command is paused. Free some space, then continue.',
      'thawed',
    ]);
  });

  const ends: readonly (readonly [string, Partial<DiskWatchOptions>])[] = [
    ['a person says so', { ask: async () => 'stop' }],
    ['there is nobody to ask', { ask: null }],
    ['it cannot be made to stand still', { ask: async () => 'go-on', freeze: () => Promise.reject(new Error()) }],
  ];
  it.each(ends)('ends the command with the reason where %s', async (_what, options) => {
    const watch = watched({ free: [40 * gib, 0.9 * gib], ...options });
    await new Promise((resolve) => watch.signal.addEventListener('abort', resolve, { once: true }));
    expect(watch.problem()).toMatch(/^ended because the disk of the project is nearly full: 966 MB are left/);
    watch.stop();
  });

  it('ends the command when it is nearly full, even if another disk cannot be read', async () => {
    const watch = watched({ free: [40 * gib] });
    watch.watch({ name: 'a silent one', counts: 'bytes', space: () => Promise.reject(new Error()), everyMs: 2 });
    watch.watch(diskOf('the disk of the container engine', [40 * gib, 0.9 * gib]));
    await new Promise((resolve) => watch.signal.addEventListener('abort', resolve, { once: true }));
    expect(watch.problem()).toMatch(/^ended because the disk of the container engine is nearly full: 966 MB are left/);
    watch.stop();
  });

  it('does not keep a command paused when the person cancels', async () => {
    const cancel = new AbortController();
    const ask: AskAboutDisk = (_text, signal) =>
      new Promise((answer) => {
        signal.addEventListener('abort', () => answer('stop'), { once: true });
        cancel.abort();
      });
    await new Promise<void>((resolve) => {
      watched({ free: [40 * gib, 0.9 * gib], signal: cancel.signal, thaw: async () => resolve(), ask });
    });
  });
});
