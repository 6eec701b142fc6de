import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Comparison } from '../../src/shared/comparisons/comparison.ts';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { seeded } from '../../bench/lib/seeded.ts';
import { command, complete, createProgram, type Program, type Running, tool } from './program.ts';
import { sampled } from '../fakes/sampled.ts';

const kills = sampled(8, 3);

const settings = {
  local: 'weak/script',
  cloud: 'strong/script',
  providers: {
    weak: { kind: 'scripted', repeat: true, replies: [complete(), complete()] },
    strong: {
      kind: 'scripted',
      repeat: true,
      replies: [
        tool('read_file', { path: 'notes.txt' }),
        command('sleep 0.2'),
        tool('write_file', { path: 'notes.txt', content: 'two\n' }),
        complete(),
      ],
    },
  },
};

const compareArgs = (program: Program): readonly string[] => [
  'compare',
  '--project',
  program.project,
  '--policies',
  'local,cloud',
  '--check',
  'grep -q two notes.txt',
  '--strategy',
  'loop',
  '--repeat',
  '2',
  '--json',
  '--',
  'Make the notes say two.',
];

/** The content of the home's comparison file. Empty while there is none. */
async function textOf(home: string): Promise<string> {
  const folder = join(home, 'comparisons');
  const [name] = (await readdir(folder).catch(() => [])).filter((one) => !one.startsWith('.'));
  return name === undefined ? '' : readFile(join(folder, name), 'utf8');
}

async function readComparison(home: string): Promise<Comparison | null> {
  const text = await textOf(home);
  // The file is always replaced as a whole, so it is complete even after a kill.
  return text === '' ? null : JSON.parse(text);
}

/**
 * Kills soon after the comparison's file shows this many more steps. With a fixed time, a busy machine would always be
 * killed before the comparison had begun.
 */
async function killAfter(running: Running, home: string, steps: number, delayMs: number): Promise<void> {
  const isOver = running.ended.then(() => true);
  let text = await textOf(home);
  for (let step = 0; step < steps; step += 1) {
    const before = text;
    while (text === before) {
      if (await Promise.race([isOver, wait(5, false)])) return;
      text = await textOf(home);
    }
  }
  await wait(delayMs);
  running.child.kill('SIGKILL');
}

const rowsSchema = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

/** The time of a step differs from run to run. */
function withoutTimes(rows: readonly object[]): readonly object[] {
  return rows.map((row) => ({
    ...row,
    seconds: null,
    means: null,
    totals: null,
    tokensPerSecond: null,
    energyWh: null,
    elsewhere: null,
  }));
}

/** The table of a comparison that was never killed. */
async function wholeTable(): Promise<readonly object[]> {
  await using program = await createProgram({ 'notes.txt': 'one\n' });
  await program.settings(settings);
  const { code, stdout, stderr } = await program.run(compareArgs(program));
  expect(code, stderr).toBe(0);
  return withoutTimes(rowsSchema.parse(JSON.parse(stdout)).rows);
}

describe.skipIf(isWithoutEngine)('a comparison, killed -9 and resumed', () => {
  it(`gives the same table after ${kills} kills, and repeats no run that had ended`, async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    await program.settings(settings);
    const random = seeded(7);
    let running = program.start(compareArgs(program));
    let kept: readonly string[] = [];
    let inTheMiddle = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      await killAfter(running, program.home, Math.floor(random() * 3), random() * 150);
      await running.ended;
      const left = await readComparison(program.home);
      const endedNow = (left?.runs ?? []).filter(({ state }) => state === 'ended').map((run) => JSON.stringify(run));
      expect(endedNow).toEqual(expect.arrayContaining([...kept]));
      kept = endedNow;
      if (left?.runs.every(({ state }) => state === 'ended')) break;
      inTheMiddle += left === null ? 0 : 1;
      running = program.start(left === null ? compareArgs(program) : ['compare', '--resume', left.id, '--json']);
    }
    await running.ended;
    // The kills wait for two steps at most, and four runs have eight.
    expect(inTheMiddle).toBeGreaterThan(0);
    const { id } = (await readComparison(program.home)) ?? { id: '' };
    const last = await program.run(['compare', '--resume', id, '--json']);
    expect(last.code, last.stderr).toBe(0);
    const done: Comparison & { rows: readonly object[] } = JSON.parse(last.stdout);
    expect(done.runs.map((run) => JSON.stringify(run))).toEqual(expect.arrayContaining([...kept]));
    expect(withoutTimes(done.rows)).toEqual(await wholeTable());
    expect(done.rows).toMatchObject([
      { way: 'local,strategy=loop', runs: 2, wanted: 2, solved: 0, checked: 2, steps: { median: 2 } },
      { way: 'cloud,strategy=loop', runs: 2, wanted: 2, solved: 2, checked: 2, steps: { median: 4 } },
    ]);
    // Every session belongs to a run, or was cut off.
    const named = [...done.runs.map(({ sessionId }) => sessionId), ...done.abandoned];
    expect(new Set(named).size).toBe(named.length);
    expect(await program.text('notes.txt')).toBe('one\n');
  }, 300_000);
});
