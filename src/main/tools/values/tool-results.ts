import { AppError, messageOf, type Failure } from '@shared/errors.ts';
import type { ToolResult } from '../define.ts';

export const okResult = (output: string, data?: unknown): ToolResult => ({ status: 'ok', output, data });

export const errorResult = (output: string): ToolResult => ({ status: 'error', output });

/** What was thrown, with what to do about it: whoever reads the answer is to be told. */
export function wholeText(error: unknown): string {
  const hint = error instanceof AppError ? error.hint : undefined;
  return hint === undefined ? messageOf(error) : `${messageOf(error)} ${hint}`;
}

/** More than this of one result of a server is dropped: nobody reads it, and it is kept with the session. */
const mostCharacters = 4 * 1024 * 1024;

/** What a server answered, as text of a result. */
export function serverText(text: string): string {
  if (text === '') return '(The tool gave no text.)';
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}\n[${text.length - mostCharacters} more characters were dropped]`;
}

/** A failure of the sandbox in words that a model can act on. */
export function failureResult(failure: Failure): ToolResult {
  const hint = failure.hint === undefined ? '' : ` ${failure.hint}`;
  const output = `${failure.message}${hint}`;
  if (failure.code === 'cancelled') return { status: 'cancelled', output, failure };
  if (failure.code === 'timeout') return { status: 'timed-out', output, failure };
  // A file that changed can be read again; a refusal is final.
  if (failure.code === 'refused') return { status: 'refused', output, failure };
  return { status: 'error', output, failure };
}
