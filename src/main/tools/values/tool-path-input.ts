import { z } from 'zod';

/** What is wrong with a path that leads out of the project. */
export const outsideProject = 'the path must be relative to the project, without ".."';

/**
 * A workspace path as a model gives it, without prefixes that models often add. This only gives honest mistakes a clear
 * answer: the sandbox decides whether a path leads outside.
 */
export const workspacePath = z
  .string()
  .min(1)
  .max(1024)
  .transform((path) => path.replace(/^(\.\/)+/u, '').replace(/^\/workspace\/?/u, '') || '.')
  .refine((path) => !path.includes('\0') && !path.split('/').includes('..') && !path.startsWith('/'), {
    message: outsideProject,
  });

/** Counted from 1. No readable file has more lines. */
export const lineNumber = z.number().int().min(1).max(10_000_000);

const resultPrefix = 'result:';

/** The path by which `read_file` and `search` read the whole result of a call that was shown cut. */
export function resultPath(toolCallId: string): string {
  return `${resultPrefix}${toolCallId}`;
}

/** The id of the call that a path names; null for a file. */
export function resultIdOf(path: string): string | null {
  return path.startsWith(resultPrefix) ? path.slice(resultPrefix.length) : null;
}
