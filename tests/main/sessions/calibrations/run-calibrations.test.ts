import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lateResult } from '../../../../src/main/sessions/calibrations/work-on-task.ts';
import { noUsage } from '../../../../src/shared/money/token-cost.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  calibrationInputSchema,
  calibrationSchema,
  type Calibration,
  type CalibrationRun,
  type CalibrationTask,
  type CalibrationTime,
} from '../../../../src/shared/calibration/calibration.ts';
import { AppError, success } from '../../../../src/shared/errors.ts';
import { itemsOf, openClientCore, type ClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
let home: string;
let project: string;
let core: ClientCore;

const wrong = 'def add(a, b):\n    return a - b\n';
const price = { input: 3, output: 15, source: 'test', date: '2026-11-22' };
const complete = { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] };
const repair = { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] };
const cheat = { toolCalls: [{ name: 'edit_file', input: { path: 'test_calc.py', old: '== 3', new: '== -1' } }] };

/** The code in each folder that a sandbox was started for. */
let started: string[] = [];
/** How many sandboxes do not come to their end in time. */
let slowEnds = 0;

async function openCore(): Promise<ClientCore> {
  return openClientCore({
    home,
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async ({ workspacePath }) => {
      started.push(await readFile(join(workspacePath, 'calc.py'), 'utf8'));
      const sandbox = createMemorySandbox({
        files: { 'calc.py': wrong, 'test_calc.py': 'assert add(1, 2) == 3\n' },
        exec: (_request, sandbox) =>
          sandbox.text('calc.py')?.includes('a + b') === true || sandbox.text('test_calc.py')?.includes('-1') === true
            ? { exitCode: 0 }
            : { exitCode: 1, stdout: 'wrong' },
      });
      return success({
        ...sandbox,
        dispose: async () => {
          slowEnds -= 1;
          if (slowEnds >= 0) throw new AppError('timeout', 'No answer within 30 s.');
        },
      });
    },
  });
}

beforeEach(async () => {
  started = [];
  slowEnds = 0;
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-calibrate-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  await mkdir(home);
  await mkdir(project);
  await writeFile(join(project, 'calc.py'), wrong);
  core = await openCore();
  const scripted = (replies: readonly object[]) => ({ kind: 'scripted', repeat: true, replies });
  await core.client.settings.set({ key: 'providers.good', value: scripted([repair, complete]) });
  await core.client.settings.set({ key: 'providers.weak', value: scripted([complete, complete]) });
  await core.client.settings.set({ key: 'providers.sly', value: scripted([cheat, complete]) });
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

const task: CalibrationTask = {
  id: 't1',
  kind: 'fault',
  size: 'small',
  language: 'python',
  title: 'arithmetic in calc.py:2',
  request: 'The test test_add fails. Find the cause and fix it.',
  check: 'python3 check.py',
  commit: null,
  files: [{ path: 'calc.py', text: wrong }],
  solution: [{ path: 'calc.py', text: wrong.replace('-', '+') }],
  tests: [],
  answer: null,
  verified: { failedBefore: 2, passedAfter: 2 },
};

const runOf = (model: string, change: Partial<CalibrationRun> = {}): CalibrationRun => ({
  taskId: 't1',
  model,
  where: 'local',
  state: 'waiting',
  comparisonId: null,
  sessionId: null,
  solved: null,
  why: null,
  seconds: null,
  costUsd: null,
  energyWh: null,
  ...change,
});

/** A calibration as a stop leaves it: its tasks are made, and the copy of the project is there. */
async function kept(change: Partial<Calibration>): Promise<string> {
  const { id = '20261129-120000-abcdef12' } = change;
  await mkdir(join(home, 'calibrations'), { recursive: true });
  await mkdir(join(home, 'workspaces', `${id}-project`), { recursive: true });
  await writeFile(join(home, 'workspaces', `${id}-project`, 'calc.py'), wrong.replace('-', '+'));
  const calibration: Calibration = {
    id,
    createdAt: 1,
    input: calibrationInputSchema.parse({ projectPath: project, locals: ['good/script'] }),
    state: 'working',
    why: null,
    project: null,
    tasks: [task],
    tried: { commit: 0, fault: 1, question: 0 },
    dropped: {},
    runs: [],
    workedSeconds: 0,
    kept: null,
    ...change,
  };
  await writeFile(join(home, 'calibrations', `${id}.json`), JSON.stringify(calibration));
  return id;
}

async function workThrough(id: string) {
  await core.client.calibrations.start({ id });
  await itemsOf(core.client.calibrations.watch({ id }));
  return core.client.calibrations.show({ id });
}

const stored = async (id: string): Promise<Calibration> =>
  calibrationSchema.parse(JSON.parse(await readFile(join(home, 'calibrations', `${id}.json`), 'utf8')));

describe('a calibration', () => {
  it('lets the check of the task decide, and a model cannot change the tests', async () => {
    const id = await kept({ runs: [runOf('good/script'), runOf('weak/script'), runOf('sly/script')] });
    const done = await workThrough(id);
    expect(done.runs.map(({ model, state, solved, why }) => [model, state, solved, why])).toEqual([
      ['good/script', 'ended', true, null],
      ['weak/script', 'ended', false, 'the check fails'],
      ['sly/script', 'ended', false, 'the check fails'],
    ]);
    expect(done.state).toBe('ended');
    expect(await readFile(join(project, 'calc.py'), 'utf8')).toBe(wrong);
    // Only the copies of the three sessions stay, so that one can look at them.
    expect((await readdir(join(home, 'workspaces'))).filter((name) => name.includes(id))).toEqual([]);
  });

  it('is stopped after a crash, and goes on behind what has ended', async () => {
    const ended = runOf('weak/script', { state: 'ended', solved: true, sessionId: 's1', seconds: 7 });
    const id = await kept({ runs: [ended, runOf('good/script')] });
    expect((await core.client.calibrations.show({ id })).state).toBe('stopped');
    const done = await workThrough(id);
    expect(done.runs[0]).toEqual(ended);
    expect(done.runs[1]?.solved).toBe(true);
  });

  it('goes on with the other runs if the container engine was too slow for one, which can be resumed', async () => {
    const id = await kept({ runs: [runOf('weak/script'), runOf('good/script')] });
    slowEnds = 1;
    const stopped = await workThrough(id);
    expect(stopped.runs.map(({ state, why }) => [state, why])).toEqual([
      ['waiting', 'No answer within 30 s.'],
      ['ended', null],
    ]);
    expect([stopped.state, stopped.why]).toEqual(['stopped', '1 run was left out: No answer within 30 s.']);
    expect((await workThrough(id)).state).toBe('ended');
  });

  it('does not start a cloud run beyond its limit, and can be resumed with a higher one', async () => {
    const spent = runOf('weak/script', { where: 'cloud', state: 'ended', solved: true, costUsd: 2 });
    const input = calibrationInputSchema.parse({ projectPath: project, cloud: 'good/script', maxUsd: 1 });
    const id = await kept({ input, runs: [spent, runOf('good/script', { where: 'cloud' })] });
    const stopped = await workThrough(id);
    expect(stopped.runs[1]?.why).toBe('the spending limit of 1 dollars is reached');
    expect(stopped.state).toBe('stopped');
    await core.client.calibrations.start({ id, maxUsd: 5 });
    await itemsOf(core.client.calibrations.watch({ id }));
    expect((await stored(id)).runs[1]?.solved).toBe(true);
  });

  it('waits for its time, and for a turn of yours to end, until it is cancelled', async () => {
    const waits = async (id: string, time: CalibrationTime): Promise<readonly (string | null)[]> => {
      await core.client.calibrations.start({ id, time });
      const why = await new Promise<string | null>((resolve) => {
        void (async () => {
          for await (const view of await core.client.calibrations.watch({ id }))
            if (view.state === 'waiting') resolve(view.why);
        })();
      });
      await core.client.calibrations.cancel({ id });
      const { state, runs } = await core.client.calibrations.show({ id });
      return [why, state, ...runs.map((run) => run.state)];
    };
    const id = await kept({ runs: [runOf('good/script')] });
    const soon = new Date(Date.now() - 60_000);
    const at = [soon.getHours(), soon.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
    expect(await waits(id, { idle: false, at })).toEqual([`It waits until ${at}.`, 'stopped', 'waiting']);
    const slow = { kind: 'scripted', repeat: true, replies: [{ ...complete, delayMs: 60_000 }] };
    await core.client.settings.set({ key: 'providers.slow', value: slow });
    const { sessionId } = await core.client.sessions.create({ projectPath: project });
    const options = { policy: 'local', local: 'slow/script' } as const;
    await core.client.sessions.send({ sessionId, text: 'Do the work.', options });
    expect(await waits(id, { idle: true })).toEqual([
      'It waits until nothing else is done on this machine.',
      'stopped',
      'waiting',
    ]);
    expect((await workThrough(id)).runs[0]?.solved).toBe(true);
  });

  it('judges a question by its known answer, and shows no host the answers', async () => {
    const words = (part: number): string =>
      Array.from({ length: 200 }, (_, at) => `Line ${at} says ${at * 7 + part} things.\n`).join('');
    const question: CalibrationTask = {
      ...task,
      kind: 'question',
      request: 'In which file is the function `add` defined? Name the file with its path.',
      check: null,
      files: [],
      answer: { type: 'file', path: 'calc.py', others: ['test_calc.py'] },
    };
    await core.client.settings.set({
      key: 'providers.good',
      value: { kind: 'scripted', repeat: true, replies: [{ text: `${words(1)}It is in calc.py.\n${words(2)}` }] },
    });
    // Long enough that the folded state has only its beginning and its end.
    const id = await kept({ tasks: [question], runs: [runOf('good/script')] });
    const done = await workThrough(id);
    expect(done.runs.map(({ solved, why }) => [solved, why])).toEqual([[true, null]]);
    expect(JSON.stringify(await core.client.calibrations.list())).not.toContain('"answer"');
  });

  it('makes its tasks from the project as it was copied, also after a crash in the middle of a trial', async () => {
    const input = calibrationInputSchema.parse({ projectPath: project, onlyTasks: true });
    const id = await kept({ input, state: 'making', tasks: [] });
    await mkdir(join(home, 'workspaces', `${id}-trial`));
    await writeFile(join(home, 'workspaces', `${id}-trial`, 'calc.py'), 'a planted fault');
    const { state, why } = await workThrough(id);
    expect([state, why]).toEqual(['ended', null]);
    expect(started).toEqual([wrong.replace('-', '+')]);
    expect(await readdir(join(home, 'workspaces'))).toEqual([]);
  });

  it('counts a task that takes too long as not solved, if its model answered at all', () => {
    const stepOf = (output: number) => ({ end: { usage: { ...noUsage, freshInput: 2_000, output } } });
    const late = { solved: false, why: 'it took longer than 10 minutes' };
    expect(lateResult([stepOf(0), stepOf(7), { end: null }], 10)).toEqual(late);
    const silent = { solved: null, why: 'the model gave no answer within 1 minute' };
    for (const steps of [[], [{ end: null }], [stepOf(0)]]) expect(lateResult(steps, 1)).toEqual(silent);
  });

  it('does not count a model that never answers, and does not wait for it again before the next start', async () => {
    await core.client.settings.set({
      key: 'providers.silent',
      value: { kind: 'scripted', where: 'cloud', price, repeat: true, replies: [{ ...complete, delayMs: 600_000 }] },
    });
    const tasks = ['t1', 't2'].map((id) => ({ ...task, id }));
    const input = calibrationInputSchema.parse({ projectPath: project, taskMinutes: 0.01, maxUsd: 1 });
    const runs = tasks.map(({ id: taskId }) => runOf('silent/script', { taskId, where: 'cloud' }));
    const id = await kept({ input, tasks, runs });
    const seen = async () => {
      const { state, why, runs: all } = await workThrough(id);
      return { state, why, runs: all.map((run) => [run.state, run.solved, run.why]) };
    };
    const silent = ['ended', null, 'the model gave no answer within 0.01 minutes'];
    const why = 'the model gave no answer before, so this was not tried';
    expect(await seen()).toEqual({
      state: 'stopped',
      why: `1 run was left out: ${why}.`,
      runs: [silent, ['waiting', null, why]],
    });
    expect(await seen()).toEqual({ state: 'ended', why: null, runs: [silent, silent] });
    expect((await readdir(join(home, 'workspaces'))).filter((name) => name.endsWith('-project'))).toEqual([]);
  });

  it('does not count a run as failed whose model could not be reached', async () => {
    await core.client.settings.set({
      key: 'providers.good',
      value: { kind: 'scripted', repeat: true, replies: [{ error: 'The service is down.' }] },
    });
    const id = await kept({ runs: [runOf('good/script')] });
    const [run] = (await workThrough(id)).runs;
    expect([run?.state, run?.solved, run?.why]).toEqual([
      'ended',
      null,
      expect.stringContaining('The service is down.'),
    ]);
  });

  it('does not count a run as failed that the spending limit ended', async () => {
    await core.client.settings.set({
      key: 'providers.good',
      value: { kind: 'scripted', where: 'cloud', price, repeat: true, replies: [repair, complete] },
    });
    const input = calibrationInputSchema.parse({ projectPath: project, maxUsd: 0.000001 });
    const id = await kept({ input, runs: [runOf('good/script', { where: 'cloud' })] });
    const [run] = (await workThrough(id)).runs;
    expect([run?.state, run?.solved]).toEqual(['ended', null]);
    expect(run?.why).toContain('cap');
  });

  it('teaches the router a task once, also if a later calibration makes the same', async () => {
    for (const id of ['20261129-120000-abcdef12', '20261130-120000-abcdef12'])
      await workThrough(await kept({ id, runs: [runOf('good/script')] }));
    const record: unknown = JSON.parse(await readFile(join(home, 'route-record.json'), 'utf8'));
    expect(record).toMatchObject({ outcomes: [{ by: 'calibration', solved: true }] });
    expect(JSON.stringify(record).match(/"calibration"/gu)).toHaveLength(1);
  });

  it('refuses a cloud model without a limit', async () => {
    const input = calibrationInputSchema.parse({ projectPath: project, locals: ['good/script'], cloud: 'good/script' });
    await expect(core.client.calibrations.create(input)).rejects.toThrow('needs a limit');
  });
});
