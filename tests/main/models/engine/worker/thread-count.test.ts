import { describe, expect, it } from 'vitest';
import { nextThreads } from '../../../../../src/main/models/engine/worker/thread-count.ts';

const window = (ownMs: number, othersMs: number, idleMs: number) => ({ wallMs: 1000, ownMs, othersMs, idleMs });

describe('the choice of threads', () => {
  it('keeps all threads while nobody else uses the cores', () => {
    expect(nextThreads(2, 2, window(1990, 10, 0))).toBe(2);
    expect(nextThreads(8, 8, window(7700, 100, 200))).toBe(8);
  });

  it('leaves cores to other programs that use them', () => {
    expect(nextThreads(2, 2, window(1300, 700, 0))).toBe(1);
    expect(nextThreads(8, 8, window(7100, 900, 0))).toBe(7);
    expect(nextThreads(8, 8, window(4000, 4000, 0))).toBe(4);
  });

  it('takes cores back when they are idle', () => {
    expect(nextThreads(1, 2, window(990, 30, 980))).toBe(2);
    expect(nextThreads(3, 8, window(2990, 10, 5000))).toBe(8);
  });

  it('stays the same while the others are busy', () => {
    expect(nextThreads(1, 2, window(900, 1000, 50))).toBe(1);
  });

  it('does not take waiting for the disk for other programs', () => {
    expect(nextThreads(4, 4, window(400, 50, 100))).toBe(4);
  });
});
