import type { Expectation, LearnedReport, TaskOutcome } from '../../src/shared/routing/outcomes.ts';

let made = 0;

/** A judged task of a local model in project `p`, unless something else is said. Each has an id of its own. */
export function madeOutcome(more: Partial<TaskOutcome> = {}): TaskOutcome {
  made += 1;
  const first = more.first ?? { model: 'here', version: '', where: 'local' };
  const solved = more.solved === undefined ? true : more.solved;
  const { model, version } = first;
  return {
    id: `task ${made}`,
    at: 0,
    project: 'p',
    language: '',
    kind: 'repair',
    solved,
    by: solved === null ? null : 'check',
    policy: 'local',
    first,
    fails: null,
    hasCloudTried: first.where === 'cloud',
    usd: null,
    seconds: null,
    work: [{ model, version, purpose: 'act', solved: solved === true, calls: 2, written: 200 }],
    ...more,
  };
}

const share = { tasks: 10, solved: 7, value: 0.7, low: 0.4, high: 0.89 };

/** What a home with a record says about work: one way without a record, one with a guess of the price. */
export const knownWays: Expectation = {
  kind: 'work',
  ways: [
    {
      way: 'local',
      solves: share,
      seconds: { value: 370, low: 300, high: 460 },
      usd: { value: 0, low: 0, high: 0 },
      isGuess: false,
    },
    {
      way: 'hybrid',
      solves: { ...share, solved: 9, value: 0.9, low: 0.6, high: 0.98 },
      seconds: null,
      usd: { value: 0.06, low: 0, high: 0.2 },
      isGuess: false,
    },
    { way: 'cloud', solves: null, seconds: null, usd: { value: 0.11, low: 0.01, high: 1.1 }, isGuess: true },
  ],
  warning: null,
};

export const unknownWays: Expectation = {
  kind: 'work',
  ways: [{ way: 'local', solves: null, seconds: null, usd: { value: 0, low: 0, high: 0 }, isGuess: false }],
  warning: null,
};

const madeReport: LearnedReport = {
  rows: [
    { model: 'here', kind: 'repair', share, by: { check: 8, undone: 2 }, here: 4, lastAt: 0 },
    {
      model: 'there',
      kind: 'change',
      share: { ...share, solved: 9, value: 0.9 },
      by: { taken: 10 },
      here: 0,
      lastAt: 0,
    },
  ],
  harm: { model: 'here', limit: 0.1, tasks: 12, harms: 3, bound: null, least: 29, scope: 'home' },
  tasks: 22,
  pace: { limitUsd: 20, spentUsd: 15, factor: 3.2 },
};

/** How a core of the page answers about what was learned. */
export function routingHandlers(note: (name: string) => void, expected: () => Expectation) {
  return {
    learned: () => madeReport,
    expect: () => {
      note('expect');
      return expected();
    },
    forget: () => ({ forgotten: madeReport.tasks }),
  };
}
