import { z } from 'zod';

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
    message: 'the path must be relative to the project, without ".."',
  });

/** Counted from 1. No readable file has more lines. */
export const lineNumber = z.number().int().min(1).max(10_000_000);
