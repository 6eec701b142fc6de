import { describe, expect, it } from 'vitest';
import { neverAborts } from '../../../../src/main/lib/async/abort.ts';
import { makeListing, type WalkResult } from '../../../../src/main/sandbox/files/make-listing.ts';
import type { ListEntry } from '../../../../src/main/sandbox/sandbox.ts';

const fileAt = (path: string): ListEntry => ({ path, kind: 'file', sizeBytes: 1 });
const nameOf = (number: number): string => `f${String(number).padStart(6, '0')}`;

describe('a list of many more files than asked for', () => {
  const count = 30_000;
  const walked: WalkResult = {
    // In the worst order, and with a folder at the end that could not be read.
    entries: [
      ...Array.from({ length: count }, (_, index) => fileAt(nameOf(count - index))),
      { path: 'shut', kind: 'folder', sizeBytes: 0 },
      { path: 'left-out', kind: 'folder', sizeBytes: 0 },
    ],
    unseen: ['shut', 'left-out'],
    ignoreFiles: new Map([['.', 'left-out\nf000002\n']]),
  };

  it('has the first by name and says that there are more', async () => {
    const listing = await makeListing('.', walked, { limit: 3 }, neverAborts);
    expect(listing.entries.map(({ path }) => path)).toEqual([nameOf(1), nameOf(3), nameOf(4)]);
    expect([listing.truncated, listing.unseen]).toEqual([true, ['shut']]);
  });

  it('has the same first whatever the order of the walk', async () => {
    const mixed = walked.entries.toSorted((left, right) =>
      (left.path.at(-1) ?? '').localeCompare(right.path.at(-1) ?? ''),
    );
    const of = async (entries: typeof mixed): Promise<readonly string[]> =>
      (await makeListing('.', { ...walked, entries }, { limit: 500 }, neverAborts)).entries.map(({ path }) => path);
    expect(await of(mixed)).toEqual(
      await of(walked.entries.toSorted((left, right) => (left.path < right.path ? -1 : 1))),
    );
    expect((await of(mixed)).at(-1)).toBe(nameOf(501));
  });

  it('is whole where there is room for all', async () => {
    const listing = await makeListing('.', walked, { limit: count + 10 }, neverAborts);
    expect([listing.entries.length, listing.truncated]).toEqual([count, false]);
    expect(listing.entries.map(({ path }) => path)).toEqual(listing.entries.map(({ path }) => path).toSorted());
  });

  it('lets others go on while it is made', async () => {
    let turns = 0;
    let isOver = false;
    const other = (): void => {
      turns += 1;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    const entries = Array.from({ length: 300_000 }, (_, index) => fileAt(nameOf(300_000 - index)));
    await makeListing('.', { ...walked, entries }, { limit: 250_000 }, neverAborts);
    isOver = true;
    expect(turns).toBeGreaterThan(5);
  });
});
