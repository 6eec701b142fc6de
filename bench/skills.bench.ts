import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/shared/errors.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import type { ClientCore } from '../tests/fakes/core-client.ts';
import type { CommandRunner } from './lib/judge.ts';
import { formatSetting, type Setting } from './lib/machine.ts';
import { makeCoreRunner } from './lib/make-core-runner.ts';
import type { BenchRow } from './lib/rows.ts';
import { createSandboxCommands } from './lib/sandbox-commands.ts';
import { readSkillRuns, skillRows, type Arm, type SkillRun } from './lib/skills/skill-runs.ts';
import { halfOf, skillNames, skillTasks } from './lib/skills/skill-tasks.ts';
import type { SkillTask } from './lib/skills/skill-task.ts';
import { starterModel } from './lib/task-options.ts';
import type { TaskRunner } from './lib/task-runner.ts';
import { UsageError } from './lib/usage-error.ts';

const minutes = 10;

/** What a skill is worth to a model: each task with the skill, named by the person, and without it. */
export async function run(args: readonly string[], setting: Setting): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      skill: { type: 'string' },
      split: { type: 'string', default: 'held' },
      arms: { type: 'string', default: 'without,named' },
      only: { type: 'string' },
      folder: { type: 'string', default: join('bench', 'data', 'skills') },
      model: { type: 'string', default: starterModel },
      results: { type: 'string', default: join('bench', 'results', 'skills.jsonl') },
      keep: { type: 'string' },
      print: { type: 'boolean' },
    },
  });
  const tasks = skillTasks.filter(
    (task) =>
      (values.skill === undefined || task.skill === values.skill) &&
      (values.split === 'all' || halfOf(task) === values.split) &&
      (values.only === undefined || task.id.includes(values.only)),
  );
  if (tasks.length === 0) throw new UsageError('No task fits --skill, --split and --only.');
  const arms = values.arms.split(',').filter((arm): arm is Arm => arm === 'without' || arm === 'named');
  const file = resolve(values.results);
  const done = await readSkillRuns(file);
  const jobs = tasks.flatMap((task, index) =>
    (index % 2 === 0 ? arms : arms.toReversed()).map((arm) => ({ task, arm })),
  );
  const left = jobs.filter(
    ({ task, arm }) => !done.some((one) => one.task === task.id && one.arm === arm && one.model === values.model),
  );
  console.error(
    `${formatSetting(setting)}\n${left.length} of ${jobs.length} runs are to be done; results go to ${file}`,
  );
  const { model, folder, keep } = values;
  const runs =
    left.length === 0 || values.print === true
      ? []
      : await doRuns(left, { model, file, keep, skills: resolve(folder), setting });
  return skillRows([...done, ...runs].filter((one) => tasks.some(({ id }) => id === one.task) && one.model === model));
}

interface Job {
  readonly task: SkillTask;
  readonly arm: Arm;
}

interface Place {
  readonly model: string;
  readonly file: string;
  readonly keep: string | undefined;
  /** The folder with the skills that are measured. */
  readonly skills: string;
  readonly setting: Setting;
}

async function doRuns(
  jobs: readonly Job[],
  { model, file, keep, skills, setting }: Place,
): Promise<readonly SkillRun[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-skills-'));
  const { cache } = findDataFolders(process.env, process.platform);
  const home = keep === undefined ? join(folder, 'home') : resolve(keep, 'home');
  const names = new Set(jobs.filter(({ arm }) => arm === 'named').map(({ task }) => task.skill));
  for (const name of names) await cp(join(skills, name), join(home, 'skills', name), { recursive: true });
  const held: { client?: ClientCore['client'] } = {};
  const runner = await makeCoreRunner({
    root: process.cwd(),
    home,
    cache,
    recipe: {},
    models: [model],
    say: (line) => console.error(line),
    setUp: async (core) => {
      held.client = core.client;
    },
  });
  const commands = createSandboxCommands({ homePath: join(folder, 'judge'), root: process.cwd() });
  const runs: SkillRun[] = [];
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  await mkdir(dirname(file), { recursive: true });
  try {
    for (const { task, arm } of jobs) {
      if (stop.signal.aborted) break;
      const off = skillNames.filter((name) => arm === 'without' || name !== task.skill);
      await held.client?.settings.set({ key: 'skillsOff', value: off });
      const place = join(keep === undefined ? folder : resolve(keep), `${task.id}-${arm}`);
      const run = await doOne({ task, arm }, { runner, commands, place, model, signal: stop.signal });
      runs.push({ ...run, commit: setting.commit });
      await appendFile(file, `${JSON.stringify(runs.at(-1))}\n`);
      console.error(
        `${task.id} ${arm}: ${run.problem ?? 'done'} (${run.status}, ${run.steps} steps, ${run.seconds} s)`,
      );
      if (keep === undefined) await rm(place, { recursive: true, force: true });
    }
    return runs;
  } finally {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly runner: TaskRunner;
  readonly commands: CommandRunner;
  readonly place: string;
  readonly model: string;
  readonly signal: AbortSignal;
}

async function doOne(
  { task, arm }: Job,
  { runner, commands, place, model, signal }: Parts,
): Promise<Omit<SkillRun, 'commit'>> {
  const about = { task: task.id, skill: task.skill, half: halfOf(task), arm, model };
  try {
    await rm(place, { recursive: true, force: true });
    await write(place, task.files);
    if (task.setUp !== undefined) {
      const [made] = await commands(place, [{ command: task.setUp }], signal);
      if (made?.exitCode !== 0) throw new Error(`The project could not be made. ${made?.output ?? ''}`);
    }
    const prompt = arm === 'named' ? `/${task.skill} ${task.prompt}` : task.prompt;
    const { result, seconds } = await runner.run(
      { projectPath: place, prompt, check: null, model, strategy: 'auto', seed: 1, maxMinutes: minutes },
      signal,
    );
    const problem = await task.judge({
      text: result.text,
      read: (path) => readFile(join(place, path), 'utf8').catch(() => null),
      run: async (command, changed) => {
        if (changed !== undefined) await write(place, changed);
        const [ran] = await commands(place, [{ command }], signal);
        return ran?.exitCode ?? null;
      },
    });
    const { status, reason, steps, actions, tokens, text } = result;
    const words = text.slice(0, 1_000);
    return {
      ...about,
      problem,
      status,
      reason,
      steps,
      actions,
      seconds: Math.round(seconds),
      tokens,
      words,
      fault: null,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const none = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
    const fault = messageOf(error);
    return {
      ...about,
      problem: fault,
      status: 'error',
      reason: 'not tried',
      steps: 0,
      actions: 0,
      seconds: 0,
      tokens: none,
      words: '',
      fault,
    };
  }
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
