import { AppError, messageOf, type Failure } from '@shared/errors.ts';
import type { ToolResult } from '../define.ts';

export const okResult = (output: string, data?: unknown): ToolResult => ({ status: 'ok', output, data });

export const errorResult = (output: string): ToolResult => ({ status: 'error', output });

/** The message of an error, with its hint about what to do. */
export function wholeText(error: unknown): string {
  const hint = error instanceof AppError ? error.hint : undefined;
  return hint === undefined ? messageOf(error) : `${messageOf(error)} ${hint}`;
}

/** The rest of a longer result is dropped: nobody reads it, and it would be kept with the session. */
const mostCharacters = 4 * 1024 * 1024;

/** The answer of a server as the text of a result. */
export function serverText(text: string): string {
  if (text === '') return '(The tool gave no text.)';
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}\n[${text.length - mostCharacters} more characters were dropped]`;
}

/** A failure of the sandbox, in words that a model can act on. */
export function failureResult(failure: Failure): ToolResult {
  const hint = failure.hint === undefined ? '' : ` ${failure.hint}`;
  const output = `${failure.message}${hint}`;
  if (failure.code === 'cancelled') return { status: 'cancelled', output, failure };
  if (failure.code === 'timeout') return { status: 'timed-out', output, failure };
  // The model can read a changed file again; a refusal is final.
  if (failure.code === 'refused') return { status: 'refused', output, failure };
  return { status: 'error', output, failure };
}
