import { discoverRules } from '../src/main/routing/registry.ts';
import { recordedTasks } from './lib/recorded-tasks.ts';
import { bestGuessPlan, cheapestUsd, costOfPlan, drawTask, routedPlan } from './lib/route-schedule.ts';
import { modelsTimed, timeDecisions } from './lib/route-timing.ts';
import type { BenchRow } from './lib/rows.ts';
import { seeded } from './lib/seeded.ts';
import { UsageError } from './lib/usage-error.ts';

const prefixes = [10_000, 30_000, 100_000, 300_000, 700_000];
const lives = [300_000, 3_600_000];
const tasksEach = 100;
const decisionsEach = 500;

/** Measures the router as far as that works without a model. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const folder = sessionsFolder(args);
  return [...timeRows(), ...scheduleRows(), ...(await recordedRows(folder))];
}

/** `--sessions FOLDER`: recorded sessions to play besides the made-up ones. */
function sessionsFolder(args: readonly string[]): string | null {
  if (args.length === 0) return null;
  const [name, folder, ...more] = args;
  if (name !== '--sessions' || folder === undefined || more.length > 0)
    throw new UsageError('The router takes --sessions FOLDER, as $DEWPOINT_HOME/sessions.');
  return folder;
}

async function recordedRows(folder: string | null): Promise<readonly BenchRow[]> {
  const figure = 'tasks of recorded sessions that were played';
  if (folder === null)
    return [{ figure, value: 0, unit: '', target: null, note: 'none were named: -- router --sessions FOLDER' }];
  const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, source: 'bench', date: '2026-11-21' };
  const tasks = (await Promise.all(lives.map((lifeMs) => recordedTasks(folder, lifeMs, price)))).flat();
  const count = tasks.length / lives.length;
  if (count === 0) return [{ figure, value: 0, unit: '', target: null, note: 'none has four steps or more' }];
  const sum = { routed: 0, cheapest: 0, cloud: 0, dearer: 0 };
  for (const task of tasks) {
    const routed = costOfPlan(task, routedPlan(task));
    const cloud = costOfPlan(
      task,
      task.steps.map(() => true),
    );
    sum.routed += routed;
    sum.cheapest += cheapestUsd(task);
    sum.cloud += cloud;
    sum.dearer += routed > cloud * (1 + 1e-9) ? 1 : 0;
  }
  const steps = tasks.reduce((total, task) => total + task.steps.length, 0) / lives.length;
  const hard = tasks.flatMap((task) => task.steps).filter(({ isHard }) => isHard).length / lives.length;
  const note = `${steps} steps, ${hard} of them hard; cache life 5 min and 1 h; routed $${sum.routed.toFixed(4)}, the optimum $${sum.cheapest.toFixed(4)}, the cloud alone $${sum.cloud.toFixed(4)}`;
  return [
    { figure, value: count, unit: '', target: null, note },
    {
      figure: 'their switching above the optimum of who knows what is to come',
      value: sum.cheapest === 0 ? 0 : above(sum.routed, sum.cheapest),
      unit: '%',
      target: { atMost: 5 },
    },
    { figure: 'of them dearer than the cloud alone', value: sum.dearer, unit: '', target: { atMost: 0 } },
  ];
}

const talks = [
  ['2 kB', { bytes: 2_000, messages: 4 }],
  ['40 kB', { bytes: 40_000, messages: 40 }],
  ['200 kB', { bytes: 200_000, messages: 80 }],
  ['200 messages', { bytes: 100_000, messages: 200 }],
] as const;

function timeRows(): readonly BenchRow[] {
  const rules = discoverRules();
  const [[, first]] = talks;
  timeDecisions(rules, first, { models: modelsTimed.six, count: decisionsEach });
  let sockets = 0;
  const rows = (['two', 'six'] as const).flatMap((number) =>
    talks.flatMap(([name, talk]): readonly BenchRow[] => {
      const timing = timeDecisions(rules, talk, { models: modelsTimed[number], count: decisionsEach });
      sockets += timing.sockets;
      const figure = `decision among ${number}, ${name}`;
      const note = `${decisionsEach} decisions, each after a new step; p99 of the processor's time ${timing.cpuP99Ms.toFixed(2)} ms`;
      return [
        { figure: `${figure}, median`, value: timing.p50Ms, unit: 'ms', target: { atMost: 1 }, note },
        { figure: `${figure}, p99`, value: timing.p99Ms, unit: 'ms', target: { atMost: 5 } },
      ];
    }),
  );
  return [...rows, { figure: 'sockets opened by these decisions', value: sockets, unit: '', target: { atMost: 0 } }];
}

function scheduleRows(): readonly BenchRow[] {
  const random = seeded(5);
  const sum = { routed: 0, best: 0, cheapest: 0, cloud: 0 };
  let dearer = 0;
  let worstGap = 0;
  let worstSeen = 0;
  let worstBest = 0;
  for (const lifeMs of lives) {
    for (const prefix of prefixes) {
      const cell = { routed: 0, best: 0, cheapest: 0, cloud: 0 };
      for (let count = 0; count < tasksEach; count += 1) {
        const task = drawTask(random, prefix, lifeMs);
        const routed = costOfPlan(task, routedPlan(task));
        const cloud = costOfPlan(
          task,
          task.steps.map(() => true),
        );
        cell.routed += routed;
        cell.best += costOfPlan(task, bestGuessPlan(task));
        cell.cheapest += cheapestUsd(task);
        cell.cloud += cloud;
        dearer += routed > cloud * (1 + 1e-9) ? 1 : 0;
      }
      sum.routed += cell.routed;
      sum.best += cell.best;
      sum.cheapest += cell.cheapest;
      sum.cloud += cell.cloud;
      worstGap = Math.max(worstGap, above(cell.routed, cell.best));
      worstSeen = Math.max(worstSeen, above(cell.routed, cell.cheapest));
      worstBest = Math.max(worstBest, above(cell.best, cell.cheapest));
    }
  }
  const all = lives.length * prefixes.length * tasksEach;
  const note = `${all} tasks: prefix 10k to 700k, cache life 5 min and 1 h; the cloud alone costs ${above(sum.cloud, sum.cheapest).toFixed(0)} % more than that optimum`;
  return [
    {
      figure: 'switching above the optimum of who knows what is to come',
      value: above(sum.routed, sum.cheapest),
      unit: '%',
      target: { atMost: 5 },
      note,
    },
    {
      figure: 'the same, the worst of ten groups',
      value: worstSeen,
      unit: '%',
      target: null,
      note: `at best, who knows as much as the router is ${worstBest.toFixed(1)} % above it in one group, ${above(sum.best, sum.cheapest).toFixed(1)} % over all (decision 0064)`,
    },
    {
      figure: 'above the optimum of who knows what the router knows, the worst of ten groups',
      value: worstGap,
      unit: '%',
      target: { atMost: 5 },
    },
    { figure: 'tasks that came dearer than the cloud alone', value: dearer, unit: '', target: { atMost: 0 } },
  ];
}

function above(value: number, base: number): number {
  return (100 * (value - base)) / base;
}
