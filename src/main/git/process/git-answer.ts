import { z } from 'zod';
import type { GitReport } from '@shared/git/git-report.ts';

const head = { branch: z.string().nullable(), commit: z.string().nullable() };
const commit = z.object({
  id: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  // A commit may have no valid time, which JSON has no number for.
  at: z
    .number()
    .nullable()
    .transform((at) => at ?? 0),
  message: z.string(),
});
const changes = {
  files: z.array(z.object({ path: z.string(), text: z.string().nullable(), note: z.string().nullable() })),
  leftOut: z.number(),
};
const entry = z.object({
  path: z.string(),
  kind: z.enum(['conflict', 'modified', 'added', 'deleted', 'untracked']),
  isStaged: z.boolean(),
});
const line = z.object({
  commit: z.string().nullable(),
  author: z.string(),
  at: z.number().nullable(),
  text: z.string(),
});

const reportSchema: z.ZodType<GitReport> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('status'),
    ...head,
    entries: z.array(entry),
    leftOut: z.number(),
    notes: z.array(z.string()),
  }),
  z.object({
    type: z.literal('log'),
    commits: z.array(commit),
    hasMore: z.boolean(),
    note: z.string().nullable(),
  }),
  z.object({ type: z.literal('show'), commit, ...changes }),
  z.object({ type: z.literal('diff'), ...changes }),
  z.object({ type: z.literal('blame'), path: z.string(), lines: z.array(line), note: z.string().nullable() }),
  z.object({
    type: z.literal('branches'),
    ...head,
    branches: z.array(z.object({ name: z.string(), remote: z.string().nullable(), commit: z.string() })),
    remotes: z.array(z.object({ name: z.string(), address: z.string() })),
  }),
]);

/** What the process that reads a repository says. */
export const gitAnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('report'), report: reportSchema }),
  z.object({
    type: z.literal('failed'),
    code: z.enum(['bad-input', 'not-found', 'conflict', 'refused', 'too-large', 'timeout', 'cancelled', 'internal']),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
