import { join } from 'node:path';
import type { ComparisonTask, NamedTestCounts } from '@shared/comparisons/comparison.ts';
import { AppError } from '@shared/errors.ts';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';
import { parseTestOutput } from '../../../lib/test-output/parse-test-output.ts';
import { withReport } from '../../../lib/test-output/reporting-command.ts';
import type { TestReport } from '../../../lib/test-output/test-report.ts';
import { reportingCommand, reportingEnvironment } from '../../../recipes/trial/test-command.ts';
import type { ExecRequest, ExecResult } from '../../../sandbox/sandbox.ts';
import {
  copyInto,
  openTrialPlace,
  removeFolder,
  type CopyOptions,
  type TrialOptions,
  type TrialPlace,
} from '../../calibrations/trial-place.ts';
import { layOver } from './task-files.ts';

type Hidden = NonNullable<ComparisonTask['hidden']>;
type NamedTests = NonNullable<Hidden['tests']>;

/** Enough for the names of some thousand tests. */
const keepBytes = 2 * 1024 * 1024;

/** The command that runs these tests. */
export function commandForNames(runner: string, names: readonly string[]): string {
  return `${runner} ${names.map(shellQuote).join(' ')}`;
}

/** Runs a command so that its output says which tests passed. */
export function namingTests(command: string): Pick<ExecRequest, 'command' | 'env' | 'keepBytes'> {
  return { command: withReport(reportingCommand(command)), env: reportingEnvironment(null), keepBytes };
}

/** Null: the output does not say it. */
export function countNamedTests(
  { stdout, stderr, exitCode }: Pick<ExecResult, 'stdout' | 'stderr' | 'exitCode'>,
  tests: NamedTests,
): NamedTestCounts | null {
  return countIn(exitCode === 0, parseTestOutput(`${stdout}\n${stderr}`, []), tests);
}

function countIn(isPassed: boolean, report: TestReport, { asked, kept }: NamedTests): NamedTestCounts | null {
  // A name may hold what separates a name from a message.
  const hasPassed = (name: string): boolean =>
    isPassed || report.passed.has(name) || report.passed.has(name.split(' - ')[0] ?? name);
  const isKnown = (name: string): boolean =>
    hasPassed(name) || report.failures.some(({ id }) => id === name || name.startsWith(`${id}::`));
  if (![...asked, ...kept].some(isKnown)) return null;
  const count = (names: readonly string[]) => ({ passed: names.filter(hasPassed).length, of: names.length });
  return { asked: count(asked), kept: count(kept) };
}

/** What trying the tests of a task needs. */
export interface NamedTestsOptions extends TrialOptions, CopyOptions {}

interface TaskStart {
  readonly id: string;
  readonly projectPath: string;
  /** The folder that every run starts from. It is not changed. */
  readonly from: string;
  readonly hidden: Hidden;
}

/**
 * Tries the named tests where no agent has worked, in a copy of its own: what passed before the change has to pass, and
 * what the change is for has to fail. Otherwise no run could be judged, and this says why. Null: they can judge.
 */
export async function whyNotHere(
  options: NamedTestsOptions,
  { id, projectPath, from, hidden }: TaskStart,
  signal: AbortSignal,
): Promise<string | null> {
  const { tests } = hidden;
  if (tests === undefined) return null;
  const folder = join(options.home, 'workspaces', `${id}-tests`);
  try {
    await copyInto(options, { from, to: folder }, signal);
    if (hidden.projectPath !== undefined) await layOver(hidden.projectPath, folder);
    const place = await openTrialPlace(options, { id: `${id}-tests`, projectPath, folder }, signal);
    try {
      return (await keptFail(place, tests, signal)) ?? (await askedShowNothing(place, tests, signal));
    } finally {
      await place.dispose();
    }
  } catch (error) {
    // Each run then says itself that there is no sandbox.
    if (error instanceof AppError && error.code === 'missing-sandbox') return null;
    throw error;
  } finally {
    await removeFolder(folder);
  }
}

async function keptFail(place: TrialPlace, tests: NamedTests, signal: AbortSignal): Promise<string | null> {
  const { kept, runner } = tests;
  if (kept.length === 0) return null;
  const ended = await tryTests(place, commandForNames(runner, kept), signal);
  if (ended.passed === true) return null;
  const counts = ended.passed === null ? null : countIn(false, ended.report, { ...tests, asked: [] })?.kept;
  const which =
    counts === null || counts === undefined ? 'Tests' : `${counts.of - counts.passed} of ${counts.of} tests`;
  return `${which} that should pass before any change do not pass here, so no run can be judged. ${whatIsMissing(ended)}`;
}

async function askedShowNothing(place: TrialPlace, tests: NamedTests, signal: AbortSignal): Promise<string | null> {
  const { asked, runner } = tests;
  if (asked.length === 0) return 'It names no test that the change should make pass, so no run can be judged.';
  const ended = await tryTests(place, commandForNames(runner, asked), signal);
  if (ended.passed === true) return 'Its tests pass before any change, so they say nothing about a run.';
  const lost = ended.output.split('\n').find((line) => /^ERROR: (?:file or directory )?not found: /u.test(line));
  if (lost !== undefined) return `It names a test that is not there, so no run can be judged: ${lost.slice(7, 300)}`;
  // Without tests that pass beforehand, only this tells a test that fails from a runner that does not run.
  const hasRun = ended.passed !== null && (ended.report.parsed || tests.kept.length > 0);
  return hasRun ? null : `Its tests cannot be run here, so no run can be judged. ${whatIsMissing(ended)}`;
}

type Ended = Awaited<ReturnType<TrialPlace['report']>>;

function tryTests(place: TrialPlace, command: string, signal: AbortSignal): Promise<Ended> {
  return place.report({ command, runner: 'pytest' }, signal);
}

/** The first error, or the last line, with what can be done. */
function whatIsMissing({ passed, report, output }: Ended): string {
  const line = report.failures[0]?.message.split('\n')[0] ?? output.split('\n').at(-1) ?? '';
  const seen = passed === null ? 'They did not end within 5 minutes.' : `They say: ${line.slice(0, 300)}.`;
  return `${seen} Their packages have to be in the sandbox, or in the folder of the record.`;
}
