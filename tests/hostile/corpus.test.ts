import { beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine, requireEngine } from '../docker/docker-kit.ts';
import { allRows, gitRows, nextRows } from './all-rows.ts';
import { sampled } from '../fakes/sampled.ts';
import { gitImages } from './git-images.ts';
import { describeRow, isGood } from './judge-row.ts';
import { runCorpus, type CorpusRun } from './run-corpus.ts';
import { sandboxImageName } from './sandbox-image-name.ts';

/** A pattern that selects rows by id: DEWPOINT_TEST_ROWS='^key-top' npm run test:hostile. */
const only = new RegExp(process.env['DEWPOINT_TEST_ROWS'] ?? '');
const rows = allRows.filter(({ id }) => only.test(id));

describe.skipIf(isWithoutEngine || process.platform === 'win32')('the corpus of hostile files', () => {
  let runs: readonly CorpusRun[] = [];
  beforeAll(
    async () => {
      const engine = requireEngine();
      runs = await runCorpus(rows, { engine, images: [await sandboxImageName(engine), ...(await gitImages())] });
    },
    sampled(7_200_000, 840_000),
  );

  it.each(rows.map((row) => [row.id, row] as const))('%s', (id) => {
    const ends = runs.map(({ git, rows: judged }) => {
      const one = judged.find(({ row }) => row.id === id);
      return one === undefined ? 'was not run' : isGood(one, git) ? 'good' : `git ${git}: ${describeRow(one)}`;
    });
    expect(ends.filter((end) => end !== 'good')).toEqual([]);
    expect(ends.length).toBeGreaterThan(0);
  });
});

describe('the rows of the corpus', () => {
  it('have unique names', () => {
    expect(allRows.map(({ id }) => id)).toEqual([...new Set(allRows.map(({ id }) => id))]);
  });

  it('are at least 60 for git and 40 for everyday commands, without those that have no effect', () => {
    const counted = (some: typeof allRows): number => some.filter(({ inert }) => inert === undefined).length;
    expect(counted(gitRows)).toBeGreaterThanOrEqual(60);
    expect(counted(nextRows)).toBeGreaterThanOrEqual(40);
  });

  it('say what must be shown wherever something may run', () => {
    expect(nextRows.filter(({ places = [] }) => places.length === 0).map(({ id }) => id)).toEqual([]);
    expect(allRows.filter((row) => row.isOwnChoice === true && row.places === undefined).map(({ id }) => id)).toEqual(
      [],
    );
  });

  it('of one group have the same beginning and one command each', () => {
    const grouped = allRows.filter(({ group }) => group !== undefined);
    const odd = grouped.filter((row) => row.prepare !== undefined || row.by !== undefined || Array.isArray(row.plant));
    expect(odd.map(({ id }) => id)).toEqual([]);
  });
});
