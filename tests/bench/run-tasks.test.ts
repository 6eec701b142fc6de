import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunResult } from '@shared/session/run-result.ts';
import type { TaskBed, Verdict } from '../../bench/lib/judge.ts';
import { openResults, type TaskRecord } from '../../bench/lib/results.ts';
import { armOf, describeRecord, runTasks } from '../../bench/lib/run-tasks.ts';
import { parseTaskOptions } from '../../bench/lib/task-options.ts';
import type { TaskRun, TaskRunner } from '../../bench/lib/task-runner.ts';
import type { Task } from '../../bench/lib/tasks.ts';
import { aResult, aTask, progressed } from './bench-kit.ts';

let root = '';
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'dewpoint-run-tasks-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

interface Scene {
  readonly tasks?: readonly Task[];
  readonly args?: string;
  /** What the agent does to the workspace. */
  readonly act?: (run: TaskRun) => Promise<void>;
  readonly result?: Partial<RunResult>;
  readonly verdict?: Partial<Verdict>;
  readonly passedBefore?: readonly string[];
  readonly file?: string;
  /** Milliseconds that pass with each look at the clock. */
  readonly tick?: number;
  readonly stop?: AbortController;
}

async function play(scene: Scene) {
  const runs: TaskRun[] = [];
  const said: string[] = [];
  const bed: TaskBed = {
    async prepare(_task, folder) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(join(folder, 'tests'), { recursive: true });
      await writeFile(join(folder, 'sum.py'), 'wrong');
      await writeFile(join(folder, 'tests/test_sum.py'), 'test');
    },
    passedBefore: async () => new Set(scene.passedBefore ?? []),
    judge: async () => ({ visible: true, hidden: true, passed: new Set(), ...scene.verdict }),
  };
  const runner: TaskRunner = {
    async run(run) {
      runs.push(run);
      await scene.act?.(run);
      return { result: aResult(scene.result), events: [], seconds: 13.5 };
    },
    close: async () => undefined,
  };
  let time = 0;
  const now = (): number => (time += scene.tick ?? 0);
  const results = await openResults(scene.file ?? join(root, 'results.jsonl'));
  const options = parseTaskOptions((scene.args ?? '').split(' ').filter((word) => word !== ''));
  const parts = {
    runner,
    bed,
    results,
    workFolder: join(root, 'work'),
    commit: 'abc',
    now,
    say: (line: string) => void said.push(line),
  };
  const signal = (scene.stop ?? new AbortController()).signal;
  const records = await runTasks(scene.tasks ?? [aTask()], options, parts, signal);
  return { records, runs, said };
}

async function only(scene: Scene): Promise<TaskRecord> {
  const { records } = await play(scene);
  const [record] = records;
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

const write = (path: string, text: string) => (run: TaskRun) => writeFile(join(run.projectPath, path), text);

describe('a task of the bench', () => {
  it('is given as a user gives it, with the shown tests as its check', async () => {
    const { runs } = await play({ args: '--models a/b --seed 3 --max-minutes 2' });
    expect(runs).toEqual([
      {
        projectPath: join(root, 'work', 'py-sum-recipe'),
        prompt: aTask().prompt,
        check: 'run shown',
        model: 'a/b',
        strategy: 'recipe',
        seed: 3,
        maxMinutes: 2,
      },
    ]);
    expect((await play({ args: '--no-check' })).runs[0]?.check).toBeNull();
  });

  it('is recorded with what it cost and what it changed, and leaves no copy', async () => {
    expect(await only({ act: write('sum.py', 'right') })).toMatchObject({
      task: 'py-sum',
      solved: true,
      visible: true,
      accepted: true,
      status: 'done',
      steps: 2,
      actions: 5,
      seconds: 13.5,
      tokens: { freshInput: 100, cacheRead: 50, cacheWrite: 0, output: 30 },
      changed: ['sum.py'],
      guarded: [],
      worse: [],
      fault: null,
    });
    expect(await readdir(join(root, 'work'))).toEqual([]);
  });

  it('is a false accept when it says done and the hidden tests fail', async () => {
    const record = await only({ verdict: { hidden: false }, act: write('sum.py', 'odd') });
    expect(record).toMatchObject({ solved: false, visible: true, accepted: true });
    expect(describeRecord(record)).toContain('FALSE ACCEPT');
  });

  it('has its changed tests recorded, even when it is solved', async () => {
    expect(await only({ act: write('tests/test_sum.py', 'weak') })).toMatchObject({
      solved: true,
      guarded: ['tests/test_sum.py'],
    });
  });

  it('is worse when a test that passed before fails now', async () => {
    const record = await only({
      passedBefore: ['a', 'b'],
      verdict: { passed: new Set(['b']) },
      act: write('sum.py', 'x'),
    });
    expect(record.worse).toEqual(['fails now: a']);
  });

  it.each([
    ['gave-up', 'recipe', ['left changed: sum.py']],
    ['limit', 'recipe', ['left changed: sum.py']],
    ['gave-up', 'loop', ['left changed: sum.py']],
    ['limit', 'loop', []],
    ['done', 'recipe', []],
  ] as const)('that ends as %s in the %s strategy leaves %j worse', async (status, strategy, worse) => {
    const record = await only({ args: `--strategies ${strategy}`, result: { status }, act: write('sum.py', 'x') });
    expect(record.worse).toEqual(worse);
    expect(record.accepted).toBe(status === 'done');
  });

  it('that cannot be tried counts as a fault of the bench, not of the agent', async () => {
    const act = async (): Promise<void> => {
      throw new Error('No sandbox.');
    };
    expect(await only({ act })).toMatchObject({
      solved: false,
      accepted: false,
      status: 'error',
      fault: 'No sandbox.',
    });
  });
});

describe('a question of the bench', () => {
  const answer = {
    mustMatch: ['409'],
    mustCite: ['src/a.js'],
    mustNotMatch: [],
    reference: 'It is 409, see src/a.js.',
  };
  const question = aTask({ kind: 'question', testCommand: null, checkCommand: null, answer });

  it.each([
    ['is solved by a right answer', { text: 'It is 409 (src/a.js:3).' }, true],
    ['is not solved by a wrong one', { text: 'It is 404 (src/a.js:3).' }, false],
    ['is not solved by a run that gave up', { text: '409 src/a.js', status: 'gave-up' as const }, false],
  ])('%s', async (_name, result, solved) => {
    expect(await only({ tasks: [question], result })).toMatchObject({ solved, accepted: false, visible: null });
  });

  it('counts as worse when the agent changed a file', async () => {
    const record = await only({ tasks: [question], act: write('sum.py', 'x'), result: { text: '409 src/a.js' } });
    expect(record.worse).toEqual(['sum.py']);
  });
});

describe('a run of tasks', () => {
  const tasks = ['a-1', 'a-2', 'a-3'].map((id) => aTask({ id }));
  const order = (runs: readonly TaskRun[]): readonly string[] =>
    runs.map(({ model, strategy, projectPath }) => `${model} ${strategy} ${projectPath.split('/').pop() ?? ''}`);

  it('tries every task with every strategy, one model after the other', async () => {
    const { runs } = await play({ tasks: tasks.slice(0, 2), args: '--models m/1,m/2 --strategies recipe,loop' });
    expect(order(runs)).toEqual([
      'm/1 recipe a-1-recipe',
      'm/1 recipe a-2-recipe',
      'm/1 loop a-1-loop',
      'm/1 loop a-2-loop',
      'm/2 recipe a-1-recipe',
      'm/2 recipe a-2-recipe',
      'm/2 loop a-1-loop',
      'm/2 loop a-2-loop',
    ]);
  });

  it('resumes where an earlier run was stopped, and returns the records of both', async () => {
    const stop = new AbortController();
    const act = async ({ projectPath }: TaskRun): Promise<void> => {
      if (projectPath.includes('a-2')) stop.abort();
    };
    expect((await play({ tasks, act, stop })).records.map(({ task }) => task)).toEqual(['a-1']);
    const again = await play({ tasks });
    expect(again.records.map(({ task }) => task)).toEqual(['a-1', 'a-2', 'a-3']);
    expect(again.runs).toHaveLength(2);
    expect((await play({ tasks })).runs).toEqual([]);
  });

  it('repeats tasks that were run with other switches', async () => {
    await play({ tasks });
    expect((await play({ tasks, args: '--no-coverage' })).runs).toHaveLength(3);
  });

  it('does the tasks of pairs in both ways, beginning with the one and the other in turn', async () => {
    const { runs, records } = await play({ tasks, args: '--paired --without names' });
    expect(runs.map(({ without }) => without ?? [])).toEqual([[], ['names'], ['names'], [], [], ['names']]);
    expect(new Set(records.map(({ key }) => key)).size).toBe(6);
    expect((await play({ tasks, args: '--paired --without names' })).runs).toEqual([]);
    expect((await play({ tasks, args: '--without names' })).runs).toEqual([]);
  });

  it('begins no task after its time limit, and says how to resume', async () => {
    const { records, said } = await play({ tasks, args: '--total-minutes 1', tick: 20_000 });
    expect(records.length).toBeGreaterThan(0);
    expect(records.length).toBeLessThan(3);
    expect(said.at(-1)).toContain('--resume');
  });
});

describe('the part that found a change', () => {
  const high = { confidence: 'high', steps: 3 };
  it.each([
    [
      'is named by the last acceptance',
      [progressed('accept', { origin: 'body' }), progressed('judge', {})],
      high,
      'body',
    ],
    ['is not taken from a rejected candidate', [progressed('judge', { origin: 'body' })], high, null],
    ['is mechanical by its confidence', [], { confidence: 'mechanical', steps: 3 }, 'mechanical'],
    ['is mechanical when no model was asked', [], { confidence: 'weak-tests', steps: 0 }, 'mechanical'],
    ['is not known otherwise', [progressed('accept', 'text')], high, null],
  ] as const)('%s', (_name, events, result, arm) => {
    expect(armOf(events, result)).toBe(arm);
  });
});
