import type { ComparisonCheck, ComparisonRun, ComparisonTask } from '@shared/comparisons/comparison.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { withoutReport } from '../../lib/test-output/machine-report.ts';
import { isTaskAbout } from '../../safety/guarded-files.ts';
import type { OpenSandboxes } from '../open/open-sessions.ts';
import { countNamedTests, namingTests } from './tasks/named-tests.ts';
import { layOver, resetTestSetup } from './tasks/task-files.ts';

/**
 * Prepares a copy for its check: with the files that a test runner loads by itself as they were in `startPath`, and with
 * the hidden files over that. Without hidden files, a file that the task is about stays. Returns what puts the former
 * back; as a text, why it cannot, which is the doing of the agent. Null: there is nothing to prepare.
 */
export async function layTests(
  { hidden, text }: Pick<ComparisonTask, 'hidden' | 'text'>,
  startPath: string,
  { workspace }: SessionState,
): Promise<string | (() => Promise<void>) | null> {
  if (workspace === null) return null;
  const isAsked = (path: string): boolean => hidden === undefined && isTaskAbout(text, 'test', path);
  try {
    const putBack = await resetTestSetup(startPath, workspace.path, isAsked);
    if (hidden?.projectPath !== undefined) await layOver(hidden.projectPath, workspace.path);
    return putBack;
  } catch (error) {
    // A full disk and files that are gone are not its doing.
    if (error instanceof AppError && error.code !== 'disk-full' && error.code !== 'not-found') return error.message;
    throw error;
  }
}

const summaryCharacters = 600;

interface CheckOptions {
  readonly sandboxes: OpenSandboxes;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

interface CheckOfRun {
  readonly sessionId: string;
  readonly command: string;
  /** The tests that it runs, where the task names them. */
  readonly tests: NonNullable<ComparisonTask['hidden']>['tests'];
}

/** The check decides, whatever the agent says. It runs in the sandbox in which the agent worked. */
export async function runCheck(
  { sandboxes, now, signal }: CheckOptions,
  { sessionId, command, tests }: CheckOfRun,
): Promise<NonNullable<ComparisonRun['check']>> {
  const begun = now();
  const ended = (rest: Pick<ComparisonCheck, 'passed' | 'summary' | 'named'>): ComparisonCheck => ({
    command,
    seconds: (now() - begun) / 1000,
    ...rest,
  });
  try {
    const reply = await sandboxes.execute(sessionId, tests === undefined ? { command } : namingTests(command), signal);
    if (!reply.ok) return ended({ passed: null, summary: reply.error.message });
    const { outcome, exitCode } = reply.value;
    const { stdout, stderr } = withoutReport(reply.value);
    const output = [stdout.trimEnd(), stderr.trimEnd()].filter((text) => text !== '').join('\n');
    const summary = `${outcome === 'exited' ? '' : `${outcome}. `}${output.slice(-summaryCharacters)}`;
    const passed = outcome === 'lost' || outcome === 'cancelled' ? null : outcome === 'exited' && exitCode === 0;
    const named = tests === undefined || passed === null ? null : countNamedTests(reply.value, tests);
    return ended({ passed, summary, ...(named === null ? {} : { named }) });
  } catch (error) {
    return ended({ passed: null, summary: messageOf(error) });
  }
}
