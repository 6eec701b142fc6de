import { rm } from 'node:fs/promises';
import type { TaskFile } from '@shared/calibration/calibration.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import { noteFailure } from '../../lib/log.ts';
import { parseTestOutput } from '../../lib/test-output/parse-test-output.ts';
import { withReport } from '../../lib/test-output/reporting-command.ts';
import type { TestReport } from '../../lib/test-output/test-report.ts';
import type { ProjectFacts, TestRunner } from '../../projects/facts/project-facts.ts';
import { reportingCommand, reportingEnvironment } from '../../recipes/trial/test-command.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { SandboxFactory } from '../../sandbox/sandbox-factory.ts';
import type { prepareWorkspace } from '../../sandbox/workspace/prepare-workspace.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { createSafeFolder } from '../changes/safe-folder.ts';

/** A copy of the project with a sandbox, in which candidates for tasks are tried. No model works here. */
export interface TrialPlace {
  readonly sandbox: Sandbox;
  readonly facts: ProjectFacts;
  /** Runs a command as the check of a task will be run. */
  readonly run: (command: string, signal: AbortSignal) => Promise<TrialResult>;
  /** Runs a test command so that it says most. */
  readonly report: (
    test: { readonly command: string; readonly runner: TestRunner },
    signal: AbortSignal,
  ) => Promise<TrialResult & { readonly report: TestReport }>;
  /** From now on, a run that takes longer is ended: with a fault, a loop may never end. */
  readonly limitRuns: (seconds: number) => void;
  /** Writes files, or removes those without a text. */
  readonly put: (files: readonly TaskFile[]) => Promise<void>;
  /** Ends the sandbox and removes the copy. Never rejects. */
  readonly dispose: () => Promise<void>;
}

export interface TrialResult {
  /** Null: it did not come to an end of its own. */
  readonly passed: boolean | null;
  readonly seconds: number;
  /** The end of what it printed. */
  readonly output: string;
}

export interface TrialOptions {
  readonly startSandbox: SandboxFactory;
  readonly settings: () => Settings['sandbox'];
  readonly masks: (projectPath: string) => Promise<readonly string[]>;
  readonly gatherFacts: (projectPath: string, files: Sandbox['files'], signal: AbortSignal) => Promise<ProjectFacts>;
  readonly onProgress: (text: string) => void;
}

/** A test run that takes longer than this is no check that many tasks can have. */
const longestRunMs = 300_000;
const keepBytes = 512 * 1024;

/** `folder`: a copy that nobody else uses. It is removed with the place. */
export async function openTrialPlace(
  options: TrialOptions,
  place: { readonly id: string; readonly projectPath: string; readonly folder: string },
  signal: AbortSignal,
): Promise<TrialPlace> {
  const { id, projectPath, folder } = place;
  const started = await options.startSandbox(
    {
      sessionId: id,
      workspacePath: folder,
      projectPath,
      settings: options.settings(),
      masks: await options.masks(projectPath),
      wanted: 'container',
      needsExecute: true,
      onLost: () => undefined,
      onProgress: options.onProgress,
    },
    signal,
  );
  const sandbox = valueOf(started);
  const dispose = async (): Promise<void> => {
    await sandbox.dispose();
    await removeFolder(folder);
  };
  try {
    const facts = await options.gatherFacts(projectPath, sandbox.files, signal);
    return { sandbox, facts, dispose, put: (files) => putFiles(folder, files), ...commandsIn(sandbox) };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function commandsIn(sandbox: Sandbox): Pick<TrialPlace, 'run' | 'report' | 'limitRuns'> {
  let timeoutMs = longestRunMs;
  const exec = async (
    command: string,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<TrialResult & { readonly whole: string }> => {
    const { outcome, exitCode, stdout, stderr, durationMs } = valueOf(
      await sandbox.exec({ command, env, timeoutMs, keepBytes }, signal),
    );
    signal.throwIfAborted();
    if (outcome === 'lost') throw new AppError('internal', 'The sandbox was lost while tests ran in it.');
    const whole = [stdout, stderr].filter((text) => text.trim() !== '').join('\n');
    const passed = outcome === 'exited' ? exitCode === 0 : null;
    return { passed, seconds: durationMs / 1000, output: whole.trimEnd().slice(-2_000), whole };
  };
  return {
    limitRuns: (seconds) => void (timeoutMs = Math.min(longestRunMs, Math.ceil(seconds) * 1_000)),
    run: async (command, signal) => exec(command, {}, signal),
    report: async ({ command, runner }, signal) => {
      const { whole, ...result } = await exec(
        withReport(reportingCommand(command)),
        reportingEnvironment(runner),
        signal,
      );
      return { ...result, report: parseTestOutput(whole, [sandbox.workspacePath]) };
    },
  };
}

/** Writes files of a copy, never through a link and never outside of it. */
export async function putFiles(folder: string, files: readonly TaskFile[]): Promise<void> {
  const safe = createSafeFolder(folder);
  for (const { path, text } of files) {
    const { type, ...now } = await safe.look(path);
    if (type === 'other') throw new AppError('refused', `${path} is no file.`);
    if (text === null) await safe.remove(path, () => true);
    else {
      const mode = 'mode' in now ? now.mode & 0o777 : 0o644;
      await safe.write(path, { bytes: new TextEncoder().encode(text), mode }, () => true);
    }
  }
}

export interface CopyOptions {
  readonly home: string;
  readonly prepareWorkspace: typeof prepareWorkspace;
}

/** Copies a project into a new folder of the home. */
export async function copyInto(
  { home, prepareWorkspace: prepare }: CopyOptions,
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const request = { mode: 'copy', projectPath: from, targetPath: to, homePath: home, needsWrite: false } as const;
  valueOf(await prepare(request, signal));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
    noteFailure('A copy of a calibration stays', error),
  );
}

type Test = Pick<NonNullable<ProjectFacts['test']>, 'command' | 'runner'>;

/** The files that a runner takes for tests, by their endings. One that is not here may take any. */
const endings: Readonly<Partial<Record<TestRunner, RegExp>>> = {
  pytest: /\.py$/u,
  unittest: /\.py$/u,
  'node-test': /\.[cm]?[jt]s$/u,
  go: /\.go$/u,
  cargo: /\.rs$/u,
};

/** The test files that a command leaves out because they are in another language. */
export function testsLeftOut({ runner }: Pick<Test, 'runner'>, testFiles: readonly string[]): readonly string[] {
  const ending = endings[runner];
  return ending === undefined ? [] : testFiles.filter((path) => !ending.test(path));
}

/**
 * The command for some test files alone, as far as the runner takes them. Null: it takes none of them, or has none that is
 * known here.
 */
export function commandForFiles(test: Test, all: readonly string[]): string | null {
  const left = testsLeftOut(test, all);
  const paths = all.filter((path) => !left.includes(path));
  if (paths.length === 0 || paths.some((path) => !/^[\w./@+-]+$/u.test(path) || path.startsWith('-'))) return null;
  if (/^\s*(?:python3? -m )?pytest(?: -[\w-]+)*(?: [\w./]+)*\s*$/u.test(test.command))
    return `python3 -m pytest -q ${paths.join(' ')}`;
  if (/^\s*node --test\b/u.test(test.command)) return `node --test ${paths.join(' ')}`;
  return null;
}
