import { z } from 'zod';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import type { CommitPlan, MadeCommit } from '@shared/git/commit-plan.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import type { RequestPlan } from '@shared/git/request-plan.ts';
import type { PushPlan } from '@shared/git/push-plan.ts';
import { addressSchema, upstreamPlace } from './git-job.ts';

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

export const reportSchema: z.ZodType<GitReport> = z.discriminatedUnion('type', [
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

export const commitPlanSchema: z.ZodType<CommitPlan> = z.object({
  projectPath: z.string(),
  branch: z.string(),
  isMore: z.boolean(),
  base: z.string(),
  author: z.string(),
  message: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['added', 'modified', 'deleted', 'left out']),
      note: z.string().nullable(),
    }),
  ),
  notes: z.array(z.string()),
  approval: z.string(),
});

export const madeCommitSchema: z.ZodType<MadeCommit> = z.object({
  branch: z.string(),
  commit: z.string(),
  files: z.number(),
});

const requestPlanSchema: z.ZodType<RequestPlan> = z.object({
  remote: z.string(),
  host: z.string(),
  address: z.string(),
  branch: z.string(),
  commit: z.string(),
  base: z.string().nullable(),
  title: z.string(),
  body: z.string(),
  others: z.number(),
  notes: z.array(z.string()),
  approval: z.string(),
});

export const preparedRequestSchema = z.object({ plan: requestPlanSchema, address: addressSchema });

const pushPlanSchema: z.ZodType<PushPlan> = z.object({
  folder: z.string(),
  branch: z.string(),
  commit: z.string(),
  remote: z.string(),
  host: z.string(),
  address: z.string(),
  isNew: z.boolean(),
  commits: z.array(z.object({ id: z.string(), author: z.string(), title: z.string() })),
  count: z.number().nullable(),
  notes: z.array(z.string()),
  approval: z.string(),
});

export const preparedPushSchema = z.object({ plan: pushPlanSchema, address: addressSchema });

export const upstreamSchema = z.object({ upstream: upstreamPlace, notes: z.array(z.string()) });

export const broughtSchema = z.object({
  commit: z.string(),
  isAt: z.enum(['same', 'behind', 'ahead', 'apart']),
  notes: z.array(z.string()),
});

export const forwardedSchema = z.object({ files: z.number(), notes: z.array(z.string()) });

const cloneProgressSchema: z.ZodType<CloneStep> = z.object({
  step: z.enum(['receive', 'unpack', 'write']),
  done: z.number(),
  total: z.number().nullable(),
});

export const madeCloneSchema = z.object({
  branch: z.string(),
  commit: z.string().nullable(),
  files: z.number(),
  notes: z.array(z.string()),
});

/** What the process says: a call it wants to be made, or how the job ended. */
export const gitLineSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('call'),
    method: z.enum(['GET', 'POST']),
    url: z.url(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
  z.object({ type: z.literal('progress'), progress: cloneProgressSchema }),
  z.object({ type: z.literal('done'), value: z.unknown() }),
  z.object({
    type: z.literal('failed'),
    code: z.enum([
      'bad-input',
      'not-found',
      'conflict',
      'refused',
      'too-large',
      'disk-full',
      'timeout',
      'cancelled',
      'missing-key',
      'network',
      'internal',
    ]),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);

/** What a host answered to a call of the process. Its bytes follow as so many lines, each in base64. */
export const callAnswerSchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  pieces: z.number(),
});
