import type { Comparison, ComparisonRun } from '../../src/shared/comparisons/comparison.ts';
import { noUsage } from '../../src/shared/money/token-cost.ts';
import type { RunResult } from '../../src/shared/session/run-result.ts';
import type { PageCore } from './page-core.ts';

const project = '/home/ada/projects/api-server';

/** A finished comparison: one way solved the task, one did not, and one could not start. */
export function comparisonScene(core: PageCore): void {
  const ended = (way: string, passed: boolean, costUsd: number): ComparisonRun => ({
    task: 0,
    way,
    repeat: 1,
    state: 'ended',
    sessionId: `run-${way}`,
    why: null,
    check: {
      command: 'python3 -m pytest -q',
      passed,
      seconds: 1.2,
      summary: passed ? '13 passed in 0.38s' : '1 failed, 12 passed in 0.41s',
    },
    figures: {
      status: passed ? 'done' : 'gave-up',
      reason: passed ? 'done' : 'gave-up',
      passedBefore: false,
      steps: 6,
      localSteps: costUsd === 0 ? 6 : 2,
      seconds: 48,
      tokens: { ...noUsage, freshInput: 9000, output: 700 },
      costUsd,
      energyWh: 0.4,
      elsewhere: {
        cloudUsd:
          costUsd === 0 ? { value: 0.038, low: 0.024, high: 0.061 } : { value: costUsd, low: costUsd, high: costUsd },
        localSeconds: { value: 46, low: 34, high: 70 },
      },
      modelSeconds: 40,
      localSeconds: costUsd === 0 ? 40 : 12,
      energyUsd: 0.0001,
      hardwareUsd: costUsd === 0 ? 0.002 : 0.0006,
    },
  });
  const task = 'Fix the failing date test';
  const comparison: Comparison = {
    id: 'dates',
    createdAt: Date.now() - 3_600_000,
    input: {
      tasks: [{ name: task, text: task }],
      projectPath: project,
      ways: [{ policy: 'local' }, { policy: 'hybrid' }, { policy: 'cloud' }],
      repeat: 1,
      approve: 'deny',
    },
    runs: [
      ended('local', false, 0),
      ended('hybrid', true, 0.013),
      {
        task: 0,
        way: 'cloud',
        repeat: 1,
        state: 'skipped',
        sessionId: null,
        why: 'The cap is reached.',
        check: null,
        figures: null,
      },
    ],
    judgements: [],
    abandoned: [],
  };
  core.replace({
    sessions: { result: ({ input: { sessionId } }) => resultOf(sessionId) },
    comparisons: {
      list: () => [comparison],
      show: () => comparison,
      watch: async function* () {
        yield comparison;
      },
    },
  });
}

/** What the run of a session said. */
const resultOf = (session: string): RunResult => ({
  session,
  status: 'done',
  reason: 'done',
  text: 'The week of a day is that of its Thursday. I corrected `week_of` and ran the tests.',
  confidence: null,
  check: null,
  routing: null,
  steps: 6,
  actions: 6,
  seconds: 48,
  tokens: { freshInput: 9000, cacheRead: 0, cacheWrite: 0, output: 700 },
  costUsd: 0,
  energyWh: null,
  counterfactual: { allLocal: null, allCloud: null, reason: '' },
  byStep: [],
  workspace: { mode: 'copy', path: '/w' },
  changes: [],
});
