import { path, seq, bySession, base, id } from './contract-base.ts';
import { type } from '@orpc/contract';
import type { HunkState } from '@shared/events/tool-events.ts';
import type { SessionEvent, Transient, EventOf } from '@shared/events/events.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { z } from 'zod';
import { workspaceModeSchema } from '@shared/events/session-events.ts';
import { sandboxTierSchema } from '@shared/events/sandbox-events.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { ProgramReports } from '@shared/session/program-reports.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { tagPattern } from '@shared/session/session-tags.ts';
import type { Effort, Where } from '@shared/models/model-info.ts';
import { approvalScopeSchema } from '@shared/safety/network-access.ts';
import { formValuesSchema } from '@shared/tools/server-form.ts';
import type { Picture } from '@shared/tools/canvas.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { ImportedSession } from '@shared/safety/approval-grants.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionPart } from '@shared/session/session-part.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { Trimming } from '@shared/session/prompt-trimming.ts';
import type { Escalation } from '@shared/routing/escalations.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { ChatListing } from '@shared/attachments/chat-listing.ts';
import {
  keptFileSchema,
  listChatsInput,
  keepChatsInput,
  readInput,
  findInput,
  keepResourceInput,
  previewInput,
  promptsInput,
  resourcesInput,
  takePromptInput,
} from '@shared/attachments/attachment-inputs.ts';
import type { FoundPrompt, FoundResource } from '@shared/tools/found-offers.ts';
import type { AttachmentPreview, FoundFile, TakenPrompt } from '@shared/attachments/attachment-inputs.ts';
import type { NetworkHistory, SandboxView, TerminalPush } from '@shared/sandbox/sandbox-view.ts';
import { codeSchema, terminalSizeSchema } from '@shared/sandbox/sandbox-view.ts';

const byTerminal = z.object({ terminalId: z.string().min(1).max(100) });

/** The commands about the sandbox of one session. */
export const sandboxContract = {
  /** As it is, then every two seconds for as long as somebody listens. Starts none. */
  watch: base.input(bySession).output(type<AsyncIterable<SandboxView>>()),
  network: base.input(bySession).output(type<NetworkHistory>()),
  /**
   * A shell of a person's own in the sandbox of a session; starts a sandbox where none is kept. It ends when nobody
   * listens any more. Refused while the agent works, and so is what is typed then: what it changes would count as the agent's.
   */
  terminal: base.input(bySession.extend(terminalSizeSchema.shape)).output(type<AsyncIterable<TerminalPush>>()),
  /** Code that a person points at, run once without a terminal, and else as `terminal` is. */
  run: base.input(bySession.extend(codeSchema.shape)).output(type<AsyncIterable<TerminalPush>>()),
  type: base.input(byTerminal.extend({ text: z.string().max(1_000_000) })).output(type<void>()),
  resize: base.input(byTerminal.extend(terminalSizeSchema.shape)).output(type<void>()),
};

/** One line of the list of sessions; all of it can be rebuilt from the logs. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  readonly projectPath: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly steps: number;
  readonly costUsd: number | null;
  readonly status: 'idle' | 'running' | 'waiting';
  readonly lastReason: string | null;
  /** Of an agent's session: the session whose agent started it; absent: a person began it. */
  readonly startedBy?: string;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  readonly tags: readonly string[];
  /** Those that were called in it, as `PROVIDER/MODEL`. */
  readonly models: readonly string[];
  /** Where they ran. */
  readonly places: readonly Where[];
}

/** What was done with several sessions at once. */
export interface SessionsOutcome {
  readonly done: readonly string[];
  readonly refused: readonly { readonly sessionId: string; readonly why: string }[];
}

/** Another way taken from a session. */
export interface ForkOutcome {
  readonly sessionId: string;
  /** Files of the new workspace that could not be made what they were at that point. */
  readonly notRestored: readonly { readonly path: string; readonly why: string }[];
  /** `same`: it works where its parent does, as nothing was changed since. `copy`: on its own, with so many files set back. */
  readonly files?: { readonly place: 'same' | 'copy'; readonly restored: number };
}

/** A session that a fork leads to or from, this one among them. */
export interface SessionBranch {
  readonly sessionId: string;
  readonly updatedAt: number;
  /** The ids of its messages, in order; what was copied has the ids that it had. Those that nobody worked on are not in it. */
  readonly messages: readonly string[];
}

/** What a subscriber gets: facts in batches and in order, and pushes that are never stored. */
export type SessionPush =
  | { readonly type: 'events'; readonly events: readonly SessionEvent[] }
  | { readonly type: 'transients'; readonly items: readonly Transient[] }
  /** Everything up to here was in the log when the subscription began. */
  | { readonly type: 'caught-up'; readonly seq: number };

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  readonly added: number | null;
  readonly removed: number | null;
  /** Unified diff; null for a binary file or one whose bytes were not kept. `note`: why, or `mode 644 to 755`. */
  readonly diff: string | null;
  readonly note?: string | null;
  readonly state: 'open' | 'taken' | 'undone';
  /** Of each hunk of `diff`, where a person can decide on them one by one. */
  readonly hunks?: readonly HunkState[];
  readonly version?: string;
}

/** Of files to undo or take: what was refused was left as it is; `broughtBack` (of `done`) had been undone before. */
export interface ChangeOutcome {
  readonly done: readonly string[];
  readonly broughtBack?: readonly string[];
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** What the log has under one id (a model call, a tool call or action, a message, a turn), whole: for a look into a row. */
export interface CallDetail {
  /** Of a message, of what a model said, or of the end of a turn; the folded state may have only its beginning. */
  readonly text: string | null;
  /** What the model was sent; null for an action, or when the bytes are gone. */
  readonly request: RequestDetail | null;
  /** What the model said. */
  readonly parts: readonly Part[];
  /** What its tokens cost then. */
  readonly price: Price | null;
  /** Of a model call: why it ran where it did. Absent where the log does not say. */
  readonly route?: EventOf<'route-decided'>;
  /** What was looked at, or read in beforehand, between it and the next call. */
  readonly after?: readonly EventOf<'criterion-checked' | 'gate-checked' | 'cache-prefilled'>[];
  readonly tools: readonly ToolDetail[];
}

export interface RequestDetail {
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
  /** How hard the model was told to think; absent: nothing was said. */
  readonly effort?: Effort;
}

export interface ToolDetail {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
  /** What was repaired in the arguments before they parsed. */
  readonly repairs: readonly string[];
  /** The whole of it up to 1 MiB; else what the model saw, and `isOutputWhole` is false. */
  readonly output: string;
  readonly isOutputWhole: boolean;
  readonly changes: readonly {
    readonly path: string;
    readonly added: number | null;
    readonly removed: number | null;
    /** Unified; null where there is none to show. */
    readonly diff: string | null;
  }[];
  /** An image that it showed, those that it gave back, or the pictures that it made, as they were then. Absent: there are none, or they are too large. */
  readonly pictures?: readonly Picture[];
  /** A table that a tool of others gave back, as an input of `canvas_render`; a log from elsewhere may have anything there. */
  readonly table?: unknown;
}

export interface ReplayReport {
  readonly matched: boolean;
  readonly stateHash: string;
  readonly recordedHash: string;
  readonly events: number;
  readonly firstDifference: string | null;
}

/** A changed file by its path, or an attachment of a message by its content. */
export const shownFileSourceSchema = z.union([z.object({ path }), z.object({ sha256: z.string().length(64) })]);
export type ShownFileSource = z.infer<typeof shownFileSourceSchema>;

/** A file as it is shown: its text, or an image. */
export type ShownFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'none'; readonly why: 'missing' | 'too-large' | 'binary' };

export const capDecisionSchema = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('stop') }),
  z.object({ answer: z.literal('local') }),
  z.object({ answer: z.literal('raise'), usd: z.number().positive() }),
]);

export const changedPaths = bySession.extend({ paths: z.array(z.string()).default([]) });

const tags = z.array(z.string().max(100).regex(tagPattern)).max(100).default([]);

const organizeInput = z.object({
  sessionIds: z.array(id).min(1).max(10_000),
  isPinned: z.boolean().optional(),
  isArchived: z.boolean().optional(),
  addTags: tags,
  removeTags: tags,
});
/** Single hunks of one path, by their places from 0; `version` is that of the list in which a person saw them. */
const hunkChoice = z.object({ places: z.array(z.number().int().nonnegative()).min(1).max(1000), version: z.string() });
export type HunkChoice = z.infer<typeof hunkChoice>;

const decidedPaths = changedPaths.extend({ hunks: hunkChoice.optional() });

export const historyPlace = z.union([z.object({ before: seq }), z.object({ from: seq })]);

/** Sessions, what they are given, and what they changed. */
export const sessionsContract = {
  sessions: {
    create: base
      .input(
        z.object({
          projectPath: z.string().nullable(),
          workspace: workspaceModeSchema.optional(),
          title: z.string().max(200).optional(),
          sandbox: sandboxTierSchema.extract(['container', 'read-only']).optional(),
        }),
      )
      .output(type<{ sessionId: string }>()),
    /** Accepted means: the message is in the log. While a turn runs it waits and is delivered between tool calls. */
    send: base
      .input(
        z.object({
          sessionId: id,
          text: z.string(),
          options: runOptionsSchema,
          attachments: z.array(attachmentSchema).max(100).default([]),
        }),
      )
      .output(type<{ messageId: string; queued: boolean }>()),
    /** Takes back a message that waits; its words are whoever's who asks. Rejects with `conflict` where a model has it already. */
    withdraw: base.input(bySession.extend({ messageId: id })).output(type<void>()),
    /** From `fromSeq` on, for as long as the subscriber listens. */
    events: base
      .input(bySession.extend({ fromSeq: z.number().int().positive().default(1) }))
      .output(type<AsyncIterable<SessionPush>>()),
    cancel: base.input(bySession).output(type<void>()),
    approve: base
      /** `scope`: for how long a yes to hosts holds; for this once without it. `values`: what a form is answered with. */
      .input(
        z.object({
          sessionId: id,
          approvalId: z.string(),
          answer: z.enum(['allow', 'deny']),
          scope: approvalScopeSchema.optional(),
          values: formValuesSchema.optional(),
        }),
      )
      .output(type<void>()),
    /** What to do at a cap where the turn waits (`cap-reached`). */
    answerCap: base.input(bySession.extend({ capId: z.string(), decision: capDecisionSchema })).output(type<void>()),
    list: base.output(type<readonly SessionSummary[]>()),
    /** What holds all words of the text, in titles, messages, answers, commands and outputs of all sessions. */
    search: base
      .input(z.object({ text: z.string().min(1).max(500), limit: z.number().int().positive().max(500).default(50) }))
      .output(type<SearchAnswer>()),
    /** `id` may be the beginning of an id, or `last`. */
    find: base.input(z.object({ id: z.string().min(1) })).output(type<SessionSummary>()),
    rename: base.input(bySession.extend({ title: z.string().trim().min(1).max(200) })).output(type<void>()),
    /** Pins, archives and tags of sessions. What is absent stays as it is. One that cannot be changed keeps nobody else. */
    organize: base.input(organizeInput).output(type<SessionsOutcome>()),
    /** The same history up to a point (before or after what has this id) or all of it, with its files as they were there; the project folder is left alone. */
    fork: base
      .input(bySession.extend({ at: z.union([z.object({ before: id }), z.object({ after: id })]).optional() }))
      .output(type<ForkOutcome>()),
    /** All sessions that forks connect with this one, deleted ones left out. Empty: there is no other. */
    branches: base.input(bySession).output(type<readonly SessionBranch[]>()),
    /** Log and kept files in one file; `missing` of them are gone. A path of the machine the core runs on. */
    export: base.input(bySession.extend({ path })).output(type<{ blobs: number; missing: number }>()),
    /** What comes from outside is checked whole; it gets an empty workspace of its own, and no yes in it counts. */
    import: base.input(z.object({ path })).output(type<ImportedSession>()),
    /** Into the bin, from where it can be restored. */
    delete: base.input(bySession).output(type<void>()),
    binned: base.output(type<readonly SessionSummary[]>()),
    /** `id`: as for `find`, among those in the bin. */
    restore: base.input(z.object({ id })).output(type<{ sessionId: string }>()),
    /** Out of the bin, for good: its log, and its workspace where that was its own. */
    purge: base.input(z.object({ id })).output(type<void>()),
    show: base.input(bySession).output(type<{ state: SessionState; money: MoneyState }>()),
    /** Of any id; `near`: an event before it. Empty where the log knows none. */
    detail: base.input(bySession.extend({ id: z.string().min(1), near: seq.optional() })).output(type<CallDetail>()),
    /** Turns that the state no longer has: some before an event, or from the one on that it lies in. Null: none. */
    history: base.input(bySession.extend({ place: historyPlace })).output(type<SessionPart | null>()),
    /** The programs that its models wrote, or called: plan, checks, calls, cost and end of each, by its log. */
    programs: base.input(bySession).output(type<ProgramReports>()),
    /** What a step carried to its model, or would have where a fence stopped it; null where nobody knows. */
    manifest: base.input(bySession.extend({ step: z.number().int().positive() })).output(type<Manifest | null>()),
    /** What a model call was not shown, of all that the conversation had up to it. */
    trimmed: base.input(bySession.extend({ callId: id })).output(type<readonly Trimming[]>()),
    /** The steps of the plan that a turn ended with, as a person wants them. */
    editPlan: base
      .input(bySession.extend({ turnId: id, steps: z.array(z.string().trim().min(1).max(4000)).min(1).max(100) }))
      .output(type<void>()),
    /** Every step that a failure moved, with its cause. */
    escalations: base.input(bySession).output(type<readonly Escalation[]>()),
    /** The last turn; waits for it to end. */
    result: base.input(bySession).output(type<RunResult>()),
    replay: base.input(bySession).output(type<ReplayReport>()),
  },
  /** Files that persons give with messages. Kept at once, so that a draft has them after a restart, too. */
  attachments: {
    keep: base.input(keptFileSchema).output(type<Attachment>()),
    /** The conversations in an export of a chat app, to choose from; null: the file is none. */
    chats: base.input(listChatsInput).output(type<ChatListing | null>()),
    /** Keeps some of them, each as a file of its own. Rejects with `conflict` where the file has changed since. */
    keepChats: base.input(keepChatsInput).output(type<readonly Attachment[]>()),
    /** An image, for showing it; null where it is gone or no image. */
    read: base.input(readInput).output(type<{ mediaType: string; data: string } | null>()),
    /** What a model would get of a message before it is sent: what is cut, and what nobody sees. */
    preview: base.input(previewInput).output(type<AttachmentPreview>()),
    /** Files and folders by what is typed of their names, and functions, classes and methods in them, best first. */
    find: base.input(findInput).output(type<readonly FoundFile[]>()),
    /** What tool servers that are on here have to take along, as each listed it last, best first. Starts none. */
    resources: base.input(resourcesInput).output(type<readonly FoundResource[]>()),
    /** Asks the server for it and keeps what comes, each part by itself. */
    keepResource: base.input(keepResourceInput).output(type<readonly Attachment[]>()),
    /** The prompts of tool servers that are on here, as each listed them last. Starts none. */
    prompts: base.input(promptsInput).output(type<readonly FoundPrompt[]>()),
    /** Asks the server for one, with its arguments. What cannot be seen in its words is written out. */
    takePrompt: base.input(takePromptInput).output(type<TakenPrompt>()),
  },
  changes: {
    show: base.input(changedPaths).output(type<readonly ChangedFile[]>()),
    take: base.input(decidedPaths).output(type<ChangeOutcome>()),
    /** What lies open is undone, what was undone comes back. Of hunks each by itself. */
    undo: base.input(decidedPaths).output(type<ChangeOutcome>()),
    /** A file as the session left it, from the log. */
    file: base.input(bySession.extend({ source: shownFileSourceSchema })).output(type<ShownFile>()),
    /** What commands left beside them, and this machine goes by later. */
    untracked: base.input(bySession).output(type<readonly UntrackedPlace[]>()),
  },
};
