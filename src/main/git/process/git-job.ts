import { z } from 'zod';
import { gitQuestionSchema } from '@shared/contract/git-contract.ts';
import { fileImageSchema } from '@shared/events/tool-events.ts';

const projectPath = z.string();
const author = z.object({ name: z.string(), email: z.string() });
const change = z.object({
  path: z.string(),
  own: z.array(z.object({ before: fileImageSchema, after: fileImageSchema })),
});
/** What a commit of a session needs to know. */
const commitWish = z.object({
  projectPath,
  sessionId: z.string(),
  title: z.string(),
  /** Null: that of the session's commits, or one is proposed. */
  branch: z.string().nullable(),
  /** The branch of the session's latest commit. */
  known: z.string().nullable(),
  message: z.string().nullable(),
  changes: z.array(change),
  /** Contents by their hash, in base64. */
  contents: z.record(z.string(), z.string()),
  /** As the user told git, for repositories that name nobody. Null: nobody was told. */
  author: author.nullable(),
  signs: z.boolean(),
});
const requestWish = z.object({
  projectPath,
  sessionId: z.string(),
  /** The title of the session. */
  task: z.string(),
  branch: z.string().nullable(),
  remote: z.string().nullable(),
  base: z.string().nullable(),
  title: z.string().nullable(),
  /** What was done and how, as Markdown. */
  body: z.string(),
});

/** Where a remote is reached over HTTP. */
export const addressSchema = z.object({
  remote: z.string(),
  /** `https://example.org`, with a port where it is not the usual one. */
  origin: z.string(),
  host: z.string(),
  /** The path of the repository on its host, without `.git`: `ada/project`. */
  path: z.string(),
  /** The remote is by SSH, and its host is reached by HTTPS instead. */
  isFromSsh: z.boolean(),
});

/** Where a pull of the checked out branch takes its commits from. */
export const upstreamPlace = z.object({
  folder: z.string(),
  branch: z.string(),
  commit: z.string(),
  theirs: z.string(),
  isShallow: z.boolean(),
  address: addressSchema,
});
const named = z.string().nullable();

/** What the process does with a repository. */
export const gitJobSchema = z.discriminatedUnion('type', [
  /** `isBelow`: the repository may be that of a folder above. */
  z.object({ type: z.literal('ask'), projectPath, isBelow: z.boolean(), ask: gitQuestionSchema }),
  z.object({ type: z.literal('plan-commit'), wish: commitWish }),
  z.object({ type: z.literal('commit'), wish: commitWish, approval: z.string(), at: z.number() }),
  z.object({ type: z.literal('plan-request'), wish: requestWish }),
  /** With `at` (`example.org/ada/app`): the remote that leads there. */
  z.object({
    type: z.literal('address'),
    projectPath,
    /** Where a push goes, which may be another address. */
    isForPush: z.boolean(),
    isBelow: z.boolean(),
    remote: z.string().nullable(),
    at: z.string().nullable(),
  }),
  /** Its calls to the host come back as questions to the one who gave the job, who has the token. */
  z.object({ type: z.literal('push'), projectPath, address: addressSchema, branch: z.string(), commit: z.string() }),
  z.object({ type: z.literal('plan-push'), projectPath, branch: named, remote: named }),
  /** Also puts back what a pull that was killed has set aside. */
  z.object({ type: z.literal('upstream'), projectPath, remote: named }),
  /** Commits, and where the branches of the remote are. Its calls to the host come back, too. */
  z.object({ type: z.literal('bring'), projectPath, upstream: upstreamPlace, hasToken: z.boolean() }),
  /** Files, the index and the branch. It calls nobody. */
  z.object({
    type: z.literal('forward'),
    projectPath,
    branch: z.string(),
    from: z.string(),
    to: z.string(),
    remote: z.string(),
  }),
  /** What the latest commits changed in the folder. */
  z.object({ type: z.literal('past-changes'), projectPath, most: z.number().int() }),
  /** The files of a commit, into an empty folder that nobody else uses. */
  z.object({ type: z.literal('check-out'), projectPath, commit: z.string(), folder: z.string() }),
  z.object({ type: z.literal('texts-at'), projectPath, commit: z.string(), paths: z.array(z.string()) }),
  /** Into an empty folder that nobody else uses. Its calls to the host come back, too. */
  z.object({
    type: z.literal('clone'),
    folder: z.string(),
    url: z.url(),
    host: z.string(),
    /** Null: the one that the host has checked out. */
    branch: z.string().nullable(),
    /** So many commits; null: all. */
    depth: z.number().int().nullable(),
    hasToken: z.boolean(),
  }),
]);

export type GitJob = z.output<typeof gitJobSchema>;
export type CommitWish = z.output<typeof commitWish>;
export type RequestWish = z.output<typeof requestWish>;
