import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { TaskOutcome } from '@shared/routing/outcomes.ts';
import { keepBelow, keptHere } from '../../src/main/routing/record/bound-harm.ts';
import { nextOf } from '../../src/main/routing/record/expected-ways.ts';
import { learnedNumbers } from '../../src/main/routing/record/route-record.ts';
import { madeOutcome } from '../../tests/fakes/made-outcomes.ts';
import type { BenchRow } from '../lib/rows.ts';
import { seeded } from '../lib/seeded.ts';
import { judgedOf } from './harm.ts';
import { type Episode, isOpenAfter, isSolved, readRuns } from './intercode.ts';
import { playMadeHomes } from './made-home.ts';
import type { RoutedSet } from './routed-set.ts';
import { readSteps, turnsSeen } from './step-set.ts';

/** What the record of a machine is worth, without data: made homes and worlds, and the runs that are recorded here. */
export async function recordRows(): Promise<readonly BenchRow[]> {
  return [...heldHomes(), ...boundRows(), ...(await intervalRows()), numbersRow()];
}

/** Worlds that nothing was chosen on: other seeds, and tasks and models that differ more or less. */
function heldHomes(): readonly BenchRow[] {
  const targets: Readonly<Record<number, number>> = { 20: 50, 100: 20 };
  const worlds = [
    { name: 'the same kind of world', seed: 101, spread: 0.7, strength: 1.2 },
    { name: 'models that differ more', seed: 102, spread: 0.7, strength: 2 },
    { name: 'tasks that differ more', seed: 103, spread: 1.4, strength: 1.2 },
  ];
  return worlds.flatMap(({ name, ...world }) =>
    playMadeHomes(300, [20, 100], world).map(({ outcomes, learned, never }): BenchRow => ({
      figure: `regret after ${outcomes} outcomes in worlds not chosen on, ${name}`,
      value: (learned / never) * 100,
      unit: '%',
      target: { atMost: targets[outcomes] ?? 0 },
      note: `300 made repositories, 6 models; a task costs $${learned.toFixed(4)} and $${never.toFixed(4)} more than at best`,
    })),
  );
}

/** How often the true rate of harm stays within the dial, by the code that decides in a turn. */
function boundRows(): readonly BenchRow[] {
  const first = { model: 'here', version: '', where: 'local' } as const;
  return ([0.2, 0.1, 0.05] as const).map((limit): BenchRow => {
    const random = seeded(77);
    let [held, kept] = [0, 0];
    for (let draw = 0; draw < 1000; draw += 1) {
      const steep = 0.1 + random() * 0.8;
      const outcomes: TaskOutcome[] = Array.from({ length: 200 }, () => {
        const fails = random();
        return madeOutcome({ first, fails, solved: random() >= fails * steep });
      });
      const { upTo } = keptHere(outcomes, { model: 'here', version: '', project: 'p', now: 0, limit });
      // Tasks are even between 0 and 1, so the harm of all that is kept is known.
      const edge = upTo ?? 0;
      if ((steep * edge * edge) / 2 <= limit) held += 1;
      kept += edge;
    }
    return {
      figure: `coverage of the bound in a turn, 1 in ${Math.round(1 / limit)}`,
      value: held / 10,
      unit: '%',
      target: { atLeast: 95 },
      note: `1,000 made records of 200 tasks, each of another model; ${Math.round(kept / 10)} % of tasks kept here`,
    };
  });
}

const runSchema = z.object({
  task: z.string(),
  policy: z.string(),
  at: z.string(),
  seconds: z.number(),
  costUsd: z.number(),
});

/** Each recorded run against the interval that the runs before it would have shown. */
async function intervalRows(): Promise<readonly BenchRow[]> {
  const text = await readFile('bench/data/pair-held.jsonl', 'utf8');
  const runs = text
    .trim()
    .split('\n')
    .map((line) => runSchema.parse(JSON.parse(line)))
    .sort((left, right) => left.at.localeCompare(right.at));
  const counted = (of: (run: (typeof runs)[number]) => number, policies: readonly string[]) => {
    let [shown, inside] = [0, 0];
    for (const policy of policies) {
      const values = runs.filter((run) => run.policy === policy).map(of);
      for (const [at, real] of values.entries()) {
        const found = nextOf(values.slice(0, at));
        if (found === null) continue;
        shown += 1;
        if (real >= found.low && real <= found.high) inside += 1;
      }
    }
    return { shown, inside };
  };
  const policies = [...new Set(runs.map(({ policy }) => policy))];
  const rows = [
    ['time', counted(({ seconds }) => seconds, policies)],
    [
      'price',
      counted(
        ({ costUsd }) => costUsd,
        policies.filter((policy) => policy !== 'local'),
      ),
    ],
  ] as const;
  return rows.map(([name, { shown, inside }]): BenchRow => ({
    figure: `shown ${name} before the start, recorded runs in the interval`,
    value: (inside / shown) * 100,
    unit: '%',
    target: { atLeast: 80 },
    note: `${inside} of ${shown} runs of the measured pair, each by those before it`,
  }));
}

/** What the start of a turn pays for its numbers, with the largest record that is kept. */
function numbersRow(): BenchRow {
  const random = seeded(5);
  const models = ['a', 'b', 'c', 'd', 'e', 'f'];
  const all = Array.from({ length: 2000 }, (_, at) =>
    madeOutcome({
      at: at * 60_000,
      project: `p${at % 12}`,
      language: at % 3 === 0 ? 'py' : 'ts',
      first: { model: models[at % 6] ?? 'a', version: '', where: 'local' },
      fails: random(),
      solved: random() < 0.6,
    }),
  );
  const place = { project: 'p3', now: 2000 * 60_000, versionOf: () => '' };
  const times: number[] = [];
  for (let round = 0; round < 120; round += 1) {
    const began = process.cpuUsage();
    learnedNumbers(all, place, { models, first: 'a', limit: 0.1 });
    const { user, system } = process.cpuUsage(began);
    if (round >= 20) times.push((user + system) / 1000);
  }
  times.sort((left, right) => left - right);
  return {
    figure: 'the numbers of a turn from 2,000 outcomes and 6 models, once at its start, median',
    value: times[50] ?? 0,
    unit: 'ms',
    target: null,
    note: `processor time; the slowest of 100 ${(times.at(-1) ?? 0).toFixed(1)} ms. A decision only reads the result`,
  };
}

/**
 * A threshold is set on one half of the databases' tasks and judged on the other, as is escalating every run that is
 * still open after so many turns.
 */
export async function frozenRows(data: string): Promise<readonly BenchRow[]> {
  const { full, shipped } = await readSteps(data);
  const runs = (await readRuns(data)).filter(({ environment }) => environment === 'sql');
  return [...[full, shipped].flatMap(frozenHarm), ...escalated(runs, full)];
}

function frozenHarm(set: RoutedSet): readonly BenchRow[] {
  const judged = judgedOf(set);
  const random = seeded(19);
  const isFirst = judged.map(() => random() < 0.5);
  const [choose, test] = [true, false].map((half) => judged.filter((_, at) => isFirst[at] === half));
  return ([0.1, 0.05] as const).map((limit): BenchRow => {
    const threshold = keepBelow(choose ?? [], limit);
    const kept = (test ?? []).filter(({ score }) => score < threshold);
    const harms = kept.filter(({ isHarm }) => isHarm).length;
    const size = test?.length ?? 0;
    return {
      figure: `harm on the test half, at most 1 in ${Math.round(1 / limit)}, ${set.name}`,
      value: (harms / size) * 100,
      unit: '%',
      target: { atMost: limit * 100 },
      note: `threshold from the other ${choose?.length ?? 0}; ${kept.length} of ${size} kept here`,
    };
  });
}

/** At the calls of "escalate after K", what the score at three turns solves instead. All runs, solved early or not. */
function escalated(runs: Awaited<ReturnType<typeof readRuns>>, set: RoutedSet): readonly BenchRow[] {
  const of = (name: string) => runs.find(({ model }) => model === name)?.episodes ?? new Map<string, Episode>();
  const [weak, strong] = [[...of('gpt-3.5').values()], of('gpt-4')];
  const solves = (episode: Episode): number => {
    const other = strong.get(episode.task);
    return other !== undefined && isSolved(other) ? 1 : 0;
  };
  const early = weak.filter((episode) => !isOpenAfter(episode, turnsSeen));
  return [4, 5, 6].map((turns): BenchRow => {
    const isUp = (episode: Episode): boolean => isOpenAfter(episode, turns);
    const up = weak.filter(isUp).length;
    const control = weak.reduce((sum, one) => sum + (isUp(one) ? solves(one) : Number(isSolved(one))), 0);
    const order = set.outcomes.map((outcome, at) => ({ outcome, score: set.scores[at] ?? 0 }));
    order.sort((left, right) => right.score - left.score);
    const own = order.reduce((sum, { outcome }, place) => sum + (place < up ? outcome.strong : outcome.weak), 0);
    const all = early.filter(isSolved).length + own;
    return {
      figure: `solved above "escalate after ${turns}" at its number of strong runs, InterCode-SQL`,
      value: ((all - control) / weak.length) * 100,
      unit: 'points',
      target: { atLeast: 0 },
      note: `${all} against ${control} of ${weak.length} runs, ${up} of them by the strong model`,
    };
  });
}
