import { ORPCError } from '@orpc/client';
import { z } from 'zod';
import type { Failure } from '@shared/errors.ts';
import { AppError, toFailure } from '@shared/errors.ts';
import { issuesText } from '../../lib/issue-text.ts';
import type { Terminal } from './terminal.ts';
import { indentText } from './terminal.ts';

const failedSchema = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });

/** Wrong usage: shown with a hint about the help, exit code 2. */
export const usageError = (message: string, hint?: string): AppError =>
  new AppError('usage', message, hint === undefined ? {} : { hint });

/** The end of work that gave no result: the person stopped it, and `kept` says what is there then. Else it is a bug. */
export const withoutResult = (name: string, kept: string, signal: AbortSignal): AppError =>
  signal.aborted
    ? new AppError('cancelled', `${name} was stopped. ${kept}`)
    : new AppError('internal', `${name} ended without a result.`);

/** Reports what went wrong. Returns the exit code by docs/guide/automation.md. Never throws. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  const failure = toReportedFailure(error);
  terminal.err(`${terminal.colors.red('dewpoint:')} ${indentText(failure.message)}\n`);
  if (failure.hint !== undefined) terminal.err(`  ${indentText(failure.hint)}\n`);
  if (failure.code === 'internal' && error instanceof Error && process.env.DEWPOINT_DEBUG === '1') {
    terminal.err(`${error.stack ?? ''}\n`);
  }
  return exitCodeOf(failure.code);
}

interface Reported {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A failure of the core arrives typed through the contract. Anything else comes from this process. */
export function toReportedFailure(error: unknown): Reported | Failure {
  if (error instanceof ORPCError) {
    const data = failedSchema.safeParse(error.data);
    if (data.success) return data.data;
    if (error.code === 'BAD_REQUEST')
      return { code: 'bad-input', message: `The input is wrong: ${describeIssues(error.data)}` };
    return { code: 'internal', message: error.message };
  }
  return toFailure(error);
}

const issuesSchema = z.object({ issues: z.array(z.unknown()) });

function describeIssues(data: unknown): string {
  const parsed = issuesSchema.safeParse(data);
  if (!parsed.success) return 'the command takes something else';
  return issuesText(parsed.data.issues, 'the input');
}

function exitCodeOf(code: string): number {
  switch (code) {
    case 'usage':
    case 'bad-input':
    case 'not-found':
    case 'conflict':
    case 'refused':
    case 'log-version':
      return 2;
    case 'missing-model':
    case 'missing-sandbox':
    case 'missing-key':
      return 5;
    case 'cancelled':
      return 130;
    default:
      return 1;
  }
}
