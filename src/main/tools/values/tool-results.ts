import type { Failure } from '@shared/errors.ts';
import type { ToolResult } from '../define.ts';

export const okResult = (output: string, data?: unknown): ToolResult => ({ status: 'ok', output, data });

export const errorResult = (output: string): ToolResult => ({ status: 'error', output });

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
