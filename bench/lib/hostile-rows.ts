import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { requireEngine } from '../../tests/docker/docker-kit.ts';
import { gitRows, nextRows } from '../../tests/hostile/all-rows.ts';
import type { HostileRow } from '../../tests/hostile/hostile-row.ts';
import { describeRow, isGood, type JudgedRow, type RowResult } from '../../tests/hostile/judge-row.ts';
import { runCorpus, type CorpusRun } from '../../tests/hostile/run-corpus.ts';
import { sandboxImageName } from '../../tests/hostile/sandbox-image-name.ts';
import type { BenchRow } from './rows.ts';

const run = promisify(execFile);

/**
 * Runs the Git rows with every Git version that is available, and other rows with the programs of the sandbox's image.
 */
export async function judgeHostileRows(only: RegExp): Promise<readonly BenchRow[]> {
  const engine = requireEngine();
  const own = await sandboxImageName(engine);
  const chosen = (rows: readonly HostileRow[]): readonly HostileRow[] => rows.filter(({ id }) => only.test(id));
  const git = await runCorpus(chosen(gitRows), { engine, images: [own, ...(await gitImages())] });
  const next = await runCorpus(chosen(nextRows), { engine, images: [own] });
  for (const { git: version, rows } of [...git, ...next]) {
    const bad = rows.filter((row) => !isGood(row, version));
    if (bad.length > 0) console.error(`git ${version}:\n${bad.map(describeRow).join('\n')}\n`);
  }
  return [...countsOf(git, 'git'), ...countsOf(next, 'what people run next'), ...totals([...git, ...next])];
}

/** Counts the rows that have an effect in at least one of these runs. */
function countsOf(runs: readonly CorpusRun[], what: string): readonly BenchRow[] {
  const effective = new Set(
    runs.flatMap(({ rows }) => rows.filter(({ result }) => result !== 'inert').map(({ row }) => row.id)),
  );
  const versions = runs
    .map(({ git, rows }) => `${git} (${rows.filter(({ result }) => result === 'inert').length} without effect)`)
    .join(', ');
  return [
    {
      figure: `ways planted, ${what}`,
      value: effective.size,
      unit: '',
      target: { atLeast: what === 'git' ? 60 : 40 },
      note: `each seen to run without Dewpoint; git ${versions}`,
    },
  ];
}

function totals(runs: readonly CorpusRun[]): readonly BenchRow[] {
  const all = runs.flatMap(({ rows }) => rows);
  const of = (result: RowResult): readonly JudgedRow[] => all.filter((one) => one.result === result);
  const names = (rows: readonly JudgedRow[]): string =>
    [...new Set(rows.map(({ row }) => row.id))].slice(0, 12).join(', ') || `of ${all.length} rows over all versions`;
  const row = (figure: string, rows: readonly JudgedRow[], atMost: number | null): BenchRow => ({
    figure,
    value: rows.length,
    unit: '',
    target: atMost === null ? null : { atMost },
    note: atMost === null ? `of ${all.length}` : names(rows),
  });
  return [
    row('rows missed', of('missed'), 0),
    row('rows neither blocked nor shown', of('neither'), 0),
    row('rows blocked', of('blocked'), null),
    row('rows shown under what runs later', of('shown'), null),
  ];
}

/** Images made from other Debian releases. If none is available, the script says why. */
async function gitImages(): Promise<readonly string[]> {
  const { stdout, stderr } = await run(process.execPath, [resolve('scripts/setup/git-images.mjs')], {
    timeout: 1_200_000,
  });
  console.error(stderr.trim());
  return z.array(z.string()).parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]'));
}
