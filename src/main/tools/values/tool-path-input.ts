import { z } from 'zod';

/**
 * A path in the workspace as a model gives it. Cleaned of what models often put in front;
 * whether it leads outside is decided by the sandbox, this only gives honest mistakes a clear answer.
 */
export const workspacePath = z
  .string()
  .min(1)
  .max(1024)
  .transform((path) => path.replace(/^(\.\/)+/u, '').replace(/^\/workspace\/?/u, '') || '.')
  .refine((path) => !path.includes('\0') && !path.split('/').includes('..') && !path.startsWith('/'), {
    message: 'the path must be relative to the project, without ".."',
  });

/** Counted from 1. No file that can be read here has more. */
export const lineNumber = z.number().int().min(1).max(10_000_000);
