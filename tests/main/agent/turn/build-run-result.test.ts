import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import { reduceSession } from '../../../../src/shared/session/reducers/reduce-session.ts';
import type { RunResult } from '../../../../src/shared/session/run-result.ts';
import { exitCodes } from '../../../../src/shared/session/run-result.ts';
import { emptySession, runStatusOf } from '../../../../src/shared/session/session-state.ts';
import { buildRunResult } from '../../../../src/main/agent/turn/build-run-result.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import type { TurnEndReason } from '../../../../src/shared/events/turn-events.ts';
import { turnEndReasonSchema } from '../../../../src/shared/events/turn-events.ts';

const created: SessionEvent = {
  v: 2,
  seq: 0,
  at: 0,
  type: 'session-created',
  logVersion: 4,
  sessionId: 'the-session',
  appVersion: '0',
  title: 'A task',
  projectPath: '/project',
  workspace: { mode: 'in-place', path: '/project' },
  parentId: null,
  groupId: null,
};

/** The result file for a task that reads and edits, and whose end is accepted. */
async function resultOf(
  model: Parameters<typeof createAgentKit>[0] = {},
  stamped = (event: SessionEvent): SessionEvent => event,
  options: Partial<typeof turnOptions> = {},
): Promise<RunResult> {
  const kit = createAgentKit({
    replies: [
      call('read_file', { path: 'calc.py' }),
      call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
      call('task_complete', { summary: 'It adds now.' }),
    ],
    sandbox: {
      files: {
        'calc.py': 'def add(a, b):\n    return a - b\n',
        'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
      },
      exec: (_request, sandbox) => {
        const isRight = sandbox.text('calc.py')?.includes('a + b') === true;
        return { exitCode: isRight ? 0 : 1, stdout: isRight ? '1 passed' : '1 failed' };
      },
    },
    ...model,
  });
  await kit.runner.send('A test fails. Find the bug and fix it.', { ...turnOptions, ...options });
  const result = buildRunResult([created, ...kit.journal.events.map(stamped)].reduce(reduceSession, emptySession));
  if (result === null) throw new Error('There is no result.');
  return result;
}

/** Every name in a value with its path. For a list, the names of its first item. */
function namesIn(value: unknown, place = ''): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : namesIn(value[0], `${place}[]`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [`${place}.${name}`, ...namesIn(inner, `${place}.${name}`)]);
}

const page = readFileSync('docs/guide/automation.md', 'utf8');

describe('the result that --result writes', () => {
  it('has exactly the names that docs/guide/automation.md shows', async () => {
    const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/u.exec(page)?.[1] ?? 'null');
    // How a figure was worked out is described on another page.
    const isShown = (name: string): boolean => !/\.(detail|elsewhere)\./u.test(name);
    const names = namesIn(await resultOf()).filter(isShown);
    expect([...namesIn(shown)].sort()).toEqual([...names].sort());
  });

  /** Catches: a turn of less than no time, in a log from before its clock was put back. */
  it('never has a negative duration', async () => {
    const { seconds } = await resultOf({}, (event) => ({ ...event, at: 9_000_000 - event.at }));
    expect(seconds).toBe(0);
  });

  it('tells what was checked, done, changed and used', async () => {
    const result = await resultOf();
    expect(result).toMatchObject({
      session: 'the-session',
      status: 'done',
      reason: 'done',
      text: 'It adds now.',
      confidence: 'high',
      check: { before: false, after: true },
      steps: 3,
      workspace: { mode: 'in-place', path: '/project' },
      changes: [{ path: 'calc.py', added: 1, removed: 1 }],
    });
    expect(result.byStep.map(({ step, purpose }) => [step, purpose])).toEqual([
      [1, 'act'],
      [2, 'act'],
      [3, 'act'],
    ]);
    const total = result.byStep.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(result.tokens.output).toBe(total);
  });

  it('has null and a reason, never 0, where a price is not known', async () => {
    const { costUsd, costReason, byStep, energyWh, energyReason } = await resultOf({ model: { price: null } });
    expect({ costUsd, energyWh, steps: byStep.map((step) => step.costUsd) }).toEqual({
      costUsd: null,
      energyWh: null,
      steps: [null, null, null],
    });
    expect(costReason).toContain('without a known price');
    expect(energyReason).toContain('no meter');
  });

  it.each([
    [{}, { policy: 'local', hasCloud: false }],
    [{ cloud: 'cloud/one' }, { policy: 'local', hasCloud: true }],
    [
      { cloud: 'cloud/one', modelOrder: ['fake/model'] },
      { policy: 'local', hasCloud: false },
    ],
    [
      { policy: 'cloud', cloud: 'cloud/one' },
      { policy: 'cloud', hasCloud: true },
    ],
  ] as const)('says where the run could work: %j', async (options, routing) => {
    expect((await resultOf({}, undefined, options)).routing).toEqual(routing);
  });

  it('does not exist before a turn has ended', () => {
    expect(buildRunResult(reduceSession(emptySession, created))).toBeNull();
  });
});

describe('the exit code of a run', () => {
  it('is the one in docs/guide/automation.md for every way in which a turn can end', () => {
    const codes: Readonly<Record<TurnEndReason, number>> = {
      done: 0,
      answered: 0,
      planned: 0,
      waiting: 6,
      incomplete: 1,
      'gave-up': 1,
      'check-failed': 1,
      fenced: 1,
      'step-limit': 1,
      'time-limit': 1,
      'token-limit': 1,
      'output-limit': 1,
      'repeated-call': 1,
      'alternating-calls': 1,
      'repeated-rejection': 1,
      crashed: 1,
      error: 1,
      cap: 3,
      'needs-approval': 4,
      missing: 5,
      'sandbox-lost': 5,
      cancelled: 130,
    };
    const found = Object.fromEntries(
      turnEndReasonSchema.options.map((reason) => [reason, exitCodes[runStatusOf(reason)]]),
    );
    expect(found).toEqual(codes);
    const told = [...page.matchAll(/^\| (\d+) \| /gmu)].map(([, code]) => Number(code));
    expect([...new Set([...Object.values(codes), 2])].sort((a, b) => a - b)).toEqual(told);
  });

  it('is listed beside its status in docs/guide/automation.md', () => {
    const row = /`status` decides the exit code: ([^.]*)\./u.exec(page)?.[1] ?? '';
    const told = Object.fromEntries(
      row.split(';').flatMap((part) => {
        const code = Number(/(\d+)\s*$/u.exec(part)?.[1]);
        return [...part.matchAll(/`([a-z-]+)`/gu)].map(([, status = '']) => [status, code] as const);
      }),
    );
    expect(told).toEqual(exitCodes);
  });
});
