import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { TaskRecord } from '../../bench/lib/results.ts';
import type { Task } from '../../bench/lib/tasks.ts';

export function aTask(change: Partial<Task> = {}): Task {
  return {
    id: 'py-sum',
    kind: 'small',
    shape: 'bug',
    language: 'python',
    prompt: 'A test fails in this project, fix it.',
    testCommand: 'run shown',
    checkCommand: 'run hidden',
    split: 'dev',
    folder: '/nowhere',
    projectFolder: '/nowhere/project',
    hiddenFolder: '/nowhere/hidden',
    answer: null,
    ...change,
  };
}

export function aResult(change: Partial<RunResult> = {}): RunResult {
  return {
    session: 's1',
    status: 'done',
    reason: 'done',
    text: 'Changed it.',
    confidence: 'high',
    check: null,
    routing: { policy: 'local', hasCloud: false },
    steps: 2,
    actions: 5,
    seconds: 12,
    tokens: { freshInput: 100, cacheRead: 50, cacheWrite: 0, output: 30 },
    costUsd: 0,
    energyWh: null,
    counterfactual: { allLocal: 0, allCloud: null, reason: 'no cloud model' },
    byStep: [],
    workspace: { mode: 'in-place', path: '/nowhere' },
    changes: [],
    ...change,
  };
}

export function aRecord(change: Partial<TaskRecord> = {}): TaskRecord {
  return {
    key: `${change.task ?? 'py-sum'} ${change.strategy ?? 'recipe'}`,
    task: 'py-sum',
    kind: 'small',
    split: 'dev',
    model: 'llama-cpp/qwen2.5-coder-1.5b-instruct',
    strategy: 'recipe',
    seed: 1,
    switches: '',
    at: '2026-11-21T00:00:00.000Z',
    commit: 'abc',
    solved: true,
    visible: true,
    accepted: true,
    confidence: 'high',
    status: 'done',
    reason: 'done',
    text: '',
    steps: 2,
    actions: 4,
    seconds: 10,
    tokens: { freshInput: 100, cacheRead: 20, cacheWrite: 0, output: 30 },
    changed: ['sum.py'],
    guarded: [],
    worse: [],
    recipe: 'fix-failing-tests',
    arm: 'fix',
    fault: null,
    ...change,
  };
}

const stamp = { v: 2, seq: 1, at: 0 };

export function progressed(phase: string, data: unknown): SessionEvent {
  return { ...stamp, type: 'recipe-progressed', recipe: 'fix-failing-tests', phase, text: '', data };
}

export function turnEnded(change: Partial<EventOf<'turn-ended'>> = {}): SessionEvent {
  return { ...stamp, type: 'turn-ended', reason: 'done', text: '', confidence: null, failure: null, ...change };
}
