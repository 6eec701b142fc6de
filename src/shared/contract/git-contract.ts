import { type } from '@orpc/contract';
import { z } from 'zod';
import type { CloneProgress } from '@shared/git/clone-progress.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import type { CommitPlan, MadeCommit } from '@shared/git/commit-plan.ts';
import type { IssueTask } from '@shared/git/issue-task.ts';
import type { PullProgress } from '@shared/git/pull-progress.ts';
import type { MadePush, PushPlan } from '@shared/git/push-plan.ts';
import type { MadeRequest, RequestPlan, RequestReview } from '@shared/git/request-plan.ts';
import { base, bySession } from './contract-base.ts';

const projectPath = z.string().min(1).max(4096);
/** A branch, a tag, HEAD~2 or the beginning of an id. Nothing that looks like an option. */
const ref = z.string().regex(/^[^-\p{Cc}][^\p{Cc}]{0,249}$/u);
const path = z.string().min(1).max(4096);

/** A question about a repository. */
export const gitQuestionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status') }),
  z.object({ type: z.literal('branches') }),
  z.object({
    type: z.literal('log'),
    ref: ref.optional(),
    path: path.optional(),
    limit: z.number().int().min(1).max(1000).default(20),
  }),
  z.object({ type: z.literal('show'), ref: ref.default('HEAD'), path: path.optional() }),
  /** With `to` null: the files as they are. */
  z.object({
    type: z.literal('diff'),
    from: ref.default('HEAD'),
    to: ref.nullable().default(null),
    path: path.optional(),
  }),
  z.object({ type: z.literal('blame'), path, ref: ref.optional() }),
]);

export type GitQuestion = z.output<typeof gitQuestionSchema>;

const commitInput = bySession.extend({
  branch: z.string().max(200).nullable().default(null),
  message: z.string().max(20_000).nullable().default(null),
});

const onRemote = bySession.extend({
  branch: z.string().max(200).nullable().default(null),
  remote: z.string().max(200).nullable().default(null),
});
const requestInput = onRemote.extend({
  base: ref.nullable().default(null),
  title: z.string().max(200).nullable().default(null),
});
const pushInput = z.object({
  projectPath,
  /** Null: the one that is checked out. */
  branch: z.string().max(200).nullable().default(null),
  remote: z.string().max(200).nullable().default(null),
});
/** The name of a host, with a port where it is not the usual one. */
const host = z.string().regex(/^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$/u);

/** A project's repository. Nothing of it runs: no hook, filter or setting. */
export const gitContract = {
  /** Reads it. Writes nothing, not even the index. */
  read: base.input(z.object({ projectPath, ask: gitQuestionSchema })).output(type<GitReport>()),
  /** The commit that would be made of a session's changes. Writes nothing. */
  planCommit: base.input(commitInput).output(type<CommitPlan>()),
  /** Makes exactly the commit that was approved (`approval` of the plan), on a branch that is not checked out. */
  commit: base.input(commitInput.extend({ approval: z.string().length(64) })).output(type<MadeCommit>()),
  /**
   * Brings a repository to a folder that is new or empty. Calls the host of the address, and no other, with its token if
   * one is kept. A clone that fails or is stopped leaves nothing.
   */
  clone: base
    .input(
      z.object({
        url: z.string().min(1).max(1_000),
        folder: z.string().min(1).max(4096),
        branch: z.string().max(200).nullable().default(null),
        /** So many commits of one branch; null: everything. */
        depth: z.number().int().min(1).max(1_000_000).nullable().default(null),
      }),
    )
    .output(type<AsyncIterable<CloneProgress>>()),
  /**
   * Brings the checked out branch forward to the one that it follows, if it has no commits of its own. Nothing is written
   * over a file that is not as its commit has it.
   */
  pull: base
    .input(z.object({ projectPath, remote: z.string().max(200).nullable().default(null) }))
    .output(type<AsyncIterable<PullProgress>>()),
  /** What a push of a branch would send. Connects to nothing. */
  planPush: base.input(pushInput).output(type<PushPlan>()),
  /** Pushes exactly what was approved. Never by force. */
  push: base.input(pushInput.extend({ approval: z.string().length(64) })).output(type<MadePush>()),
  /** Keeps the token for a host of repositories in the key store. */
  setToken: base.input(z.object({ host, value: z.string().min(1).max(2_000) })).output(type<void>()),
  /** What would be sent to ask for a review. Connects to nothing. */
  planRequest: base.input(requestInput).output(type<RequestPlan>()),
  /** Pushes exactly what was approved, and opens a draft request unless there is one. */
  request: base.input(requestInput.extend({ approval: z.string().length(64) })).output(type<MadeRequest>()),
  /** An issue of the project's host, by its number or address, as a task. Asks that host, and no other. */
  issue: base
    .input(
      z.object({
        projectPath,
        issue: z.string().min(1).max(500),
        remote: z.string().max(200).nullable().default(null),
      }),
    )
    .output(type<IssueTask>()),
  /** What reviewers say about it. */
  review: base.input(onRemote).output(type<RequestReview>()),
};
