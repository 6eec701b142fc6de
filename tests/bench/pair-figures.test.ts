import { describe, expect, it } from 'vitest';
import {
  causesOf,
  errorOf,
  escalatedOf,
  heldOf,
  isCovered,
  localShare,
  outcomesOf,
  savedShare,
  type Trio,
} from '../../bench/lib/pair-figures.ts';
import { drawTasks, parsePairOptions } from '../../bench/lib/pair-options.ts';
import { pairReport } from '../../bench/lib/pair-report.ts';
import type { PairRecord } from '../../bench/lib/pair-results.ts';
import { pairKey } from '../../bench/lib/run-pair.ts';
import { noUsage } from '../../src/shared/money/token-cost.ts';
import { aTask } from './bench-kit.ts';

type Call = PairRecord['calls'][number];

/** 1,000 tokens read in 5 s and 100 written in 5 s here; in the cloud 4 s in all and 0.00014 dollars. */
function aCall(where: Call['where']): Call {
  const usage = { ...noUsage, freshInput: 1000, output: 100 };
  const isHere = where === 'local';
  const timings = isHere
    ? { queuedMs: 0, prefillMs: 5000, decodeMs: 5000, totalMs: 10_000 }
    : { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 4000 };
  const costUsd = isHere ? 0 : 0.00014;
  return { where, purpose: 'propose', end: { usage, evaluatedTokens: isHere ? 1000 : null, timings, costUsd } };
}

function aRun(policy: PairRecord['policy'], solved: boolean, calls: readonly Call[]): PairRecord {
  return {
    key: policy,
    task: 't',
    kind: 'small',
    split: 'dev',
    policy,
    at: '2026-11-21T00:00:00.000Z',
    commit: 'abc',
    solved,
    visible: solved,
    accepted: solved,
    status: solved ? 'done' : 'gave-up',
    reason: '',
    confidence: null,
    seconds: calls.length * 10,
    costUsd: calls.reduce((sum, { end }) => sum + (end.costUsd ?? 0), 0),
    calls: [...calls],
    answers: { kept: 0, asked: calls.length },
    moves: [],
    guarded: [],
    worse: [],
    fault: null,
  };
}

const here = aCall('local');
const there = aCall('cloud');

function aTrio(task: string, solved: { readonly local: boolean; readonly cloud: boolean }, auto: PairRecord): Trio {
  const local = aRun('local', solved.local, [here, here]);
  return { task, local, cloud: aRun('cloud', solved.cloud, [there, there]), auto };
}

const moved = { to: 'cloud', cause: 'no progress', text: 'No change passed.' } as const;
const trios = [
  aTrio('easy', { local: true, cloud: true }, aRun('auto', true, [here, here])),
  aTrio(
    'hard',
    { local: false, cloud: true },
    {
      ...aRun('auto', true, [here, here, there, there]),
      moves: [moved],
    },
  ),
  aTrio('fooled', { local: false, cloud: true }, { ...aRun('auto', false, [here]), accepted: true }),
  aTrio(
    'hopeless',
    { local: false, cloud: false },
    {
      ...aRun('auto', false, [here, here, there, there]),
      moves: [moved],
    },
  ),
];

describe('the report on a pair of models', () => {
  it('compares it with a random choice at the same budget and with a perfect choice', () => {
    const { local, cloud, auto, random, oracle, triesAll } = outcomesOf(trios);
    const cells = [local, cloud, auto, random, oracle, triesAll].map(({ solved, lost, costUsd }) => [
      Number(solved.toFixed(6)),
      Number(lost.toFixed(6)),
      Math.round(costUsd * 1e5),
    ]);
    // Half of the cloud's bill buys half of what it solves more.
    expect(cells).toEqual([
      [1, 2, 0],
      [3, 0, 112],
      [2, 1, 56],
      [2, 1, 56],
      [3, 0, 56],
      [3, 0, 84],
    ]);
    expect(savedShare(auto, cloud, oracle)).toBeCloseTo(1, 9);
    expect(savedShare(auto, cloud, cloud)).toBeNull();
  });

  it('says what stayed local, what was escalated before the limit, and why', () => {
    expect(localShare(trios)).toEqual({ share: 1, calls: 2 });
    expect(escalatedOf(trios)).toEqual({ failed: 3, escalated: 2, unseen: 1 });
    expect(causesOf(trios)).toEqual([{ cause: 'no progress', count: 2, text: 'No change passed.' }]);
  });

  it('compares the predicted costs and seconds with those of the real run', () => {
    const { cloudUsd, localSeconds, cloudSeconds } = heldOf(trios, '2026-11-21');
    expect(cloudUsd.map(errorOf).every((error) => error < 1e-9)).toBe(true);
    expect(localSeconds.map(({ value, real }) => [value, real])[0]).toEqual([20, 20]);
    expect(cloudSeconds.map(({ value, real }) => [value, real])[0]).toEqual([8, 8]);
    expect(isCovered({ task: 't', value: 2, low: 1, high: 3, real: 3.1 })).toBe(false);
    expect(heldOf(trios.slice(0, 1), '2026-11-21').localSeconds).toEqual([]);
  });

  it('draws the order of the tasks from the seed, whatever else is asked for', () => {
    const tasks = ['py-a', 'py-b', 'js-a', 'js-b', 'py-c'].map((id) => aTask({ id }));
    const draw = (more: object): string[] =>
      drawTasks(tasks, { split: 'dev', tasks: null, sample: null, seed: 3, ...more }).map(({ id }) => id);
    const order = draw({});
    expect([...order].sort()).toEqual(['js-a', 'js-b', 'py-a', 'py-b', 'py-c']);
    expect(draw({ sample: 2 })).toEqual(order.slice(0, 2));
    expect(draw({ tasks: 'py-*' })).toEqual(order.filter((id) => id.startsWith('py-')));
    expect(draw({ split: 'held' })).toEqual([]);
  });
});

describe('the report on tasks that leave nothing to save', () => {
  const options = parsePairOptions(['--split', 'dev', '--report']);
  /** Three runs of a task that only the cloud solves, or that this machine solves, too. */
  const runsOf = (task: string, isEasy: boolean) =>
    (
      [
        aRun('local', isEasy, [here]),
        aRun('cloud', true, [there]),
        aRun('auto', true, [isEasy ? here : there]),
      ] as const
    ).map((run) => ({ ...run, task, key: pairKey(task, run.policy, options) }));
  const told = (asked: readonly string[], recorded: ReturnType<typeof runsOf>) => {
    const { rows } = pairReport(
      asked.map((id) => aTask({ id })),
      new Map(recorded.map((run) => [run.key, run])),
      options,
    );
    return rows.filter(({ figure }) => figure.endsWith('saved of what the oracle saves'));
  };

  it('says that there is no headroom, and shows the figure for all recorded tasks', () => {
    const [own, all] = told(['hard'], [...runsOf('hard', false), ...runsOf('easy', true)]);
    expect(own).toMatchObject({ value: null, target: null, note: 'no headroom: the oracle saves under 10 %' });
    expect(all).toMatchObject({ figure: 'recorded outcomes (2): saved of what the oracle saves', value: 100 });
    expect(all?.target).toEqual({ atLeast: 60 });
  });

  it('says nothing of headroom when there is something to save', () => {
    const rows = told(['easy'], [...runsOf('hard', false), ...runsOf('easy', true)]);
    expect(rows).toMatchObject([{ value: 100, target: { atLeast: 60 } }]);
  });
});
