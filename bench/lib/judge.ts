import { cp, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { layHidden, materialise, readPlantedTask } from './planted.ts';
import { namingEnvironment, passedTests } from './passed-tests.ts';
import type { Task } from './tasks.ts';

/** A command for a fresh sandbox, or a change that the bench makes to the folder between two commands. */
export interface BenchCommand {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs on the folder, outside the sandbox, before the command. */
  readonly before?: () => Promise<void>;
}

export interface CommandResult {
  /** Null if the command had to be stopped. */
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs commands in order on a folder, in a sandbox that is created for them and removed afterwards. Rejects without a
 * sandbox.
 */
export type CommandRunner = (
  folder: string,
  commands: readonly BenchCommand[],
  signal: AbortSignal,
) => Promise<readonly CommandResult[]>;

export interface Verdict {
  readonly visible: boolean | null;
  readonly hidden: boolean;
  /** Names of the visible tests that pass after their files were restored. */
  readonly passed: ReadonlySet<string>;
}

/** The projects of tasks, and the verdicts of their tests. */
export interface TaskBed {
  /** Fills a folder with the project as the user has it. Anything in it before is removed. */
  prepare(task: Task, folder: string, signal: AbortSignal): Promise<void>;
  /** Names of the visible tests that pass before any work. Called once a task. */
  passedBefore(task: Task, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** Judges a folder after the work. It adds the hidden files, so inspect the folder before. Not for questions. */
  judge(task: Task, folder: string, signal: AbortSignal): Promise<Verdict>;
}

export interface TaskBedParts {
  readonly runCommands: CommandRunner;
  /** Archives of planted tasks stay here between runs. */
  readonly cacheFolder: string;
  /** For temporary copies. */
  readonly scratchFolder: string;
}

export function createTaskBed({ runCommands, cacheFolder, scratchFolder }: TaskBedParts): TaskBed {
  const known = new Map<string, ReadonlySet<string>>();

  async function prepare(task: Task, folder: string, signal: AbortSignal): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    if (task.kind !== 'planted') return cp(task.projectFolder, folder, { recursive: true });
    await materialise(await readPlantedTask(task.folder), folder, { isPlanted: true, cacheFolder, signal });
  }

  async function layOver(task: Task, folder: string, signal: AbortSignal): Promise<void> {
    if (task.kind === 'planted') return layHidden(await readPlantedTask(task.folder), folder, { cacheFolder, signal });
    if (await exists(task.hiddenFolder)) await cp(task.hiddenFolder, folder, { recursive: true, force: true });
  }

  return {
    prepare,
    async passedBefore(task, signal) {
      if (task.testCommand === null) return new Set();
      const before = known.get(task.id);
      if (before !== undefined) return before;
      const folder = join(scratchFolder, `${task.id}-before`);
      await prepare(task, folder, signal);
      const [result] = await runCommands(folder, [{ command: task.testCommand, env: namingEnvironment }], signal);
      await rm(folder, { recursive: true, force: true });
      const passed = passedTests(result?.output ?? '');
      known.set(task.id, passed);
      return passed;
    },
    async judge(task, folder, signal) {
      const { testCommand, checkCommand } = task;
      if (checkCommand === null) throw new Error(`${task.id} is a question: its answer is graded, not its folder.`);
      const lay = { before: () => layOver(task, folder, signal) };
      const shown = testCommand === null ? [] : [{ command: testCommand }];
      const named = testCommand === null ? [] : [{ command: testCommand, env: namingEnvironment }];
      const results = await runCommands(folder, [...shown, { command: checkCommand, ...lay }, ...named], signal);
      const hidden = results[shown.length];
      return {
        visible: testCommand === null ? null : results[0]?.exitCode === 0,
        hidden: hidden?.exitCode === 0,
        passed: testCommand === null ? new Set() : passedTests(results[2]?.output ?? ''),
      };
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
