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
import { chosenOptionsSchema } from '@shared/session/chosen-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { tagPattern } from '@shared/session/session-tags.ts';
import type { Effort, Where } from '@shared/models/model-info.ts';
import { approvalScopeSchema } from '@shared/safety/network-access.ts';
import { formValuesSchema } from '@shared/tools/server-form.ts';
import type { Picture } from '@shared/tools/canvas.ts';
import type { SearchAnswer } from './search-answer.ts';
import { readableForm, type DownloadPiece } from './session-download.ts';
import type { ImportedSession } from '@shared/safety/approval-grants.ts';
import type { MovePreview } from '@shared/projects/project-page.ts';
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
  /** The state now, then every two seconds while the caller listens. Starts no sandbox. */
  watch: base.input(bySession).output(type<AsyncIterable<SandboxView>>()),
  network: base.input(bySession).output(type<NetworkHistory>()),
  /**
   * Opens a shell for the user in a session's sandbox; starts a sandbox if none runs. It ends when the caller stops
   * listening. Opening and typing are refused while the agent works, because changes would count as the agent's.
   */
  terminal: base.input(bySession.extend(terminalSizeSchema.shape)).output(type<AsyncIterable<TerminalPush>>()),
  /** Runs code that the user points at once, without a terminal. Otherwise the same as `terminal`. */
  run: base.input(bySession.extend(codeSchema.shape)).output(type<AsyncIterable<TerminalPush>>()),
  type: base.input(byTerminal.extend({ text: z.string().max(1_000_000) })).output(type<void>()),
  resize: base.input(byTerminal.extend(terminalSizeSchema.shape)).output(type<void>()),
};

/** One line of the list of sessions. All of it can be rebuilt from the logs. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  /** The folder that it works in, and the key of its project: a folder, or `project:ID`. */
  readonly projectPath: string | null;
  readonly project: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly steps: number;
  readonly costUsd: number | null;
  readonly status: 'idle' | 'running' | 'waiting';
  readonly lastReason: string | null;
  /** Nothing runs, and the next message answers the question that its task waits for. */
  readonly isWaiting?: true;
  /** Its last task ended, and the user did not look at the end yet. */
  readonly isUnseen?: true;
  /** It is another branch of the talk that began with this session, and no entry of its own in a list. */
  readonly branchOf?: string;
  /** For a child's session: the session whose agent started it. Absent: a person started it. */
  readonly startedBy?: string;
  /** It is a run of this comparison, which shows it. */
  readonly comparison?: string;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  readonly tags: readonly string[];
  /** The models that were called, as `PROVIDER/MODEL`. */
  readonly models: readonly string[];
  /** Where those calls ran. */
  readonly places: readonly Where[];
}

export interface SessionsOutcome {
  readonly done: readonly string[];
  readonly refused: readonly { readonly sessionId: string; readonly why: string }[];
}

export interface ForkOutcome {
  readonly sessionId: string;
  /** Files of the new workspace that could not be restored to that point. */
  readonly notRestored: readonly { readonly path: string; readonly why: string }[];
  /** `same`: its parent's workspace, unchanged since. `copy`: its own, with `restored` files set back. */
  readonly files?: { readonly place: 'same' | 'copy'; readonly restored: number };
}

/** A session that is connected to this one by forks. This one is included. */
export interface SessionBranch {
  readonly sessionId: string;
  readonly updatedAt: number;
  /** The ids of its messages, in order. Copied messages keep their ids. Messages that nobody worked on are left out. */
  readonly messages: readonly string[];
}

/** What a subscriber gets: batches of events in order, and pushes that are never stored. */
export type SessionPush =
  | { readonly type: 'events'; readonly events: readonly SessionEvent[] }
  | { readonly type: 'transients'; readonly items: readonly Transient[] }
  /** The events up to here were in the log when the subscription began. */
  | { readonly type: 'caught-up'; readonly seq: number };

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  readonly added: number | null;
  readonly removed: number | null;
  /**
   * Unified diff; null for a binary file, or if the bytes were not kept. `note` says why, or is like `mode 644 to 755`.
   */
  readonly diff: string | null;
  readonly note?: string | null;
  readonly state: 'open' | 'taken' | 'undone';
  /** The state of each hunk of `diff`, if the user can decide on single hunks. */
  readonly hunks?: readonly HunkState[];
  readonly version?: string;
}

/**
 * The result of undoing or taking files. Refused files stay as they were. `broughtBack` lists those of `done` whose
 * undo was reverted.
 */
export interface ChangeOutcome {
  readonly done: readonly string[];
  readonly broughtBack?: readonly string[];
  /** Those of `done` that keep what somebody else changed in them. */
  readonly merged?: readonly string[];
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** A point of the log that a session can be restored to: before a message, a step, or an earlier restore. */
export interface Checkpoint {
  readonly id: string;
  readonly type: 'message' | 'step' | 'restore';
  /** The number of the step. Null: it is no step, or the step never began. */
  readonly step: number | null;
  readonly at: number;
  /** The message, or what the step did, in one line. For a restore: the checkpoint that it went to. */
  readonly text: string;
  /** How many files the session changed since. */
  readonly files: number;
  /** A restore took it out of the conversation. */
  readonly isSetAside: boolean;
}

/** What is restored. `replaces`: also files that somebody else changed since and that cannot be merged. */
const restoreChoice = z.object({
  checkpoint: id,
  files: z.boolean(),
  conversation: z.boolean(),
  replaces: z.boolean().optional(),
  /** Only says what would happen. */
  isPreview: z.boolean().optional(),
});
export type RestoreChoice = z.infer<typeof restoreChoice>;

/** The result of a restore. Kept files stayed as they were. */
export interface RestoreOutcome {
  readonly restored: readonly string[];
  /** Those of `restored` that keep what somebody else changed in them since. */
  readonly merged: readonly string[];
  readonly kept: readonly { readonly path: string; readonly why: string }[];
  /** How many messages leave the conversation. */
  readonly messages: number;
  /** The checkpoint before this restore, which undoes it. Null: nothing was done. */
  readonly restoreId: string | null;
}

/** All that the log has under one id (a model call, tool call, action, message or turn), uncut. */
export interface CallDetail {
  /** Text of a message, of a model's answer, or of a turn's end. The folded state may hold only its beginning. */
  readonly text: string | null;
  /** What the model was sent; null for an action, or if the bytes are gone. */
  readonly request: RequestDetail | null;
  /** What the model said. */
  readonly parts: readonly Part[];
  /** The price at the time of the call. */
  readonly price: Price | null;
  /** For a model call: why it ran where it did. Absent when the log does not say. */
  readonly route?: EventOf<'route-decided'>;
  /** Checks and prefills between this call and the next one. */
  readonly after?: readonly EventOf<'check-ended' | 'gate-checked' | 'cache-prefilled'>[];
  readonly tools: readonly ToolDetail[];
}

export interface RequestDetail {
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
  /** How hard the model was told to think. Absent: it was not told. */
  readonly effort?: Effort;
}

export interface ToolDetail {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
  /** Repairs that the arguments needed before they parsed. */
  readonly repairs: readonly string[];
  /** The full output up to 1 MiB. Otherwise what the model saw, with `isOutputWhole` false. */
  readonly output: string;
  readonly isOutputWhole: boolean;
  readonly changes: readonly {
    readonly path: string;
    readonly added: number | null;
    readonly removed: number | null;
    /** Unified diff; null when there is none to show. */
    readonly diff: string | null;
  }[];
  /**
   * Images that the call showed, returned or made, as they were then. Absent when there are none, or when they are too
   * large.
   */
  readonly pictures?: readonly Picture[];
  /** For `canvas_render` with a file: its input, with the text that the file had then. Absent: the input has it. */
  readonly drawn?: unknown;
  /**
   * A table that a connected tool returned, in the form of an input to `canvas_render`. A log from elsewhere may hold
   * anything here.
   */
  readonly table?: unknown;
}

export interface ReplayReport {
  readonly matched: boolean;
  readonly stateHash: string;
  readonly recordedHash: string;
  readonly events: number;
  readonly firstDifference: string | null;
}

/** A changed file by its path, or an attachment by its hash. */
export const shownFileSourceSchema = z.union([z.object({ path }), z.object({ sha256: z.string().length(64) })]);
export type ShownFileSource = z.infer<typeof shownFileSourceSchema>;

/** A file to display: its text, or an image. */
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

const projectOrNone = z.string().min(1).max(4096).nullable();
const organizeInput = z.object({
  sessionIds: z.array(id).min(1).max(10_000),
  isPinned: z.boolean().optional(),
  isArchived: z.boolean().optional(),
  savesCalls: z.boolean().optional(),
  /** The user looked at the end of the last turn, if it has ended. */
  isSeen: z.literal(true).optional(),
  addTags: tags,
  removeTags: tags,
});
const moveInput = organizeInput.pick({ sessionIds: true }).extend({ project: projectOrNone });
/** Single hunks of one path, by their indexes from 0. `version` is that of the list that the user saw. */
const hunkChoice = z.object({ places: z.array(z.number().int().nonnegative()).min(1).max(1000), version: z.string() });
export type HunkChoice = z.infer<typeof hunkChoice>;

const decidedPaths = changedPaths.extend({ hunks: hunkChoice.optional() });

export const historyPlace = z.union([z.object({ before: seq }), z.object({ from: seq })]);

/** Sessions, what they receive, and what they changed. */
export const sessionsContract = {
  sessions: {
    create: base
      .input(
        z.object({
          projectPath: z.string().nullable(),
          project: projectOrNone.optional(),
          workspace: workspaceModeSchema.optional(),
          title: z.string().max(200).optional(),
          sandbox: sandboxTierSchema.extract(['container', 'read-only']).optional(),
        }),
      )
      .output(type<{ sessionId: string }>()),
    /** Returns once the message is in the log. During a turn, the message waits and is delivered between tool calls. */
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
    /**
     * Notes what the person chose for the session: all of it, so that what is absent is left to the settings. A running
     * task takes it at its next step, or says in the log why not; the next message keeps it.
     */
    choose: base.input(bySession.extend({ chosen: chosenOptionsSchema })).output(type<void>()),
    /**
     * Takes back a message that waits; the caller keeps its text. Rejects with `conflict` if a model already has it.
     */
    withdraw: base.input(bySession.extend({ messageId: id })).output(type<void>()),
    /** Events from `fromSeq` on, for as long as the subscriber listens. */
    events: base
      .input(bySession.extend({ fromSeq: z.number().int().positive().default(1) }))
      .output(type<AsyncIterable<SessionPush>>()),
    cancel: base.input(bySession).output(type<void>()),
    approve: base
      /** `scope`: how long a yes to hosts holds; absent: only this once. `values`: the answers to a form. */
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
    /** Decides what to do at a spending limit that a turn waits at (`cap-reached`). */
    answerCap: base.input(bySession.extend({ capId: z.string(), decision: capDecisionSchema })).output(type<void>()),
    list: base.output(type<readonly SessionSummary[]>()),
    /** Finds all words of the text in titles, messages, answers, commands and outputs of all sessions. */
    search: base
      .input(z.object({ text: z.string().min(1).max(500), limit: z.number().int().positive().max(500).default(50) }))
      .output(type<SearchAnswer>()),
    /** `id` may be the beginning of an id, or `last`. */
    find: base.input(z.object({ id: z.string().min(1) })).output(type<SessionSummary>()),
    rename: base.input(bySession.extend({ title: z.string().trim().min(1).max(200) })).output(type<void>()),
    /** Pins, archives, tags, or has calls saved. An absent field stays. One that fails stops no other. */
    organize: base.input(organizeInput).output(type<SessionsOutcome>()),
    /** Into a project, by its key, or out of all. `movePreview` moves nothing. `isNew`: into one that is made next. */
    move: base.input(moveInput).output(type<SessionsOutcome>()),
    movePreview: base.input(moveInput.extend({ isNew: z.boolean().optional() })).output(type<readonly MovePreview[]>()),
    /** Creates a session with the history up to `at` or all of it, and its files then. `isBranch`: of the same talk. */
    fork: base
      .input(
        bySession.extend({
          at: z.union([z.object({ before: id }), z.object({ after: id })]).optional(),
          isBranch: z.boolean().default(false),
        }),
      )
      .output(type<ForkOutcome>()),
    /** All sessions that are connected with this one by forks, except deleted ones. Empty when there is no other. */
    branches: base.input(bySession).output(type<readonly SessionBranch[]>()),
    /**
     * Writes the log and its kept files into one file on the core's machine; for `.md`, `.html` and `.jsonl`, a text or the
     * calls of tools. `missing` counts files that are gone, `branches` the other branches of the talk, which are left out.
     */
    export: base.input(bySession.extend({ path })).output(type<{ blobs: number; missing: number; branches: number }>()),
    /** The text that `export` writes in that form, for a page that cannot name a file of this machine. */
    download: base.input(bySession.extend({ form: readableForm })).output(type<AsyncIterable<DownloadPiece>>()),
    /**
     * Checks the imported file completely. The session gets a new, empty workspace, and approvals in it do not count.
     */
    import: base.input(z.object({ path })).output(type<ImportedSession>()),
    /** Moves it to the bin, from where it can be restored. */
    delete: base.input(bySession).output(type<void>()),
    binned: base.output(type<readonly SessionSummary[]>()),
    /** `id` works as in `find`, among the sessions in the bin. */
    restore: base.input(z.object({ id })).output(type<{ sessionId: string }>()),
    /** Deletes it from the bin for good: its log, and its workspace if it had its own. */
    purge: base.input(z.object({ id })).output(type<void>()),
    show: base.input(bySession).output(type<{ state: SessionState; money: MoneyState }>()),
    /** Details of any id. `near`: an event before it. Empty when the log does not have the id. */
    detail: base.input(bySession.extend({ id: z.string().min(1), near: seq.optional() })).output(type<CallDetail>()),
    /**
     * Turns that the state no longer holds: some before an event, or those from the one that contains it. Null: none.
     */
    history: base.input(bySession.extend({ place: historyPlace })).output(type<SessionPart | null>()),
    /** The programs that its models wrote or called, each with plan, checks, calls, cost and end, from the log. */
    programs: base.input(bySession).output(type<ProgramReports>()),
    /** What a step sent to its model, or would have sent if a fence had not stopped it; null when unknown. */
    manifest: base.input(bySession.extend({ step: z.number().int().positive() })).output(type<Manifest | null>()),
    /** The parts of the conversation so far that a model call was not shown. */
    trimmed: base.input(bySession.extend({ callId: id })).output(type<readonly Trimming[]>()),
    /** Replaces the steps of the plan that a turn ended with by the user's. */
    editPlan: base
      .input(bySession.extend({ turnId: id, steps: z.array(z.string().trim().min(1).max(4000)).min(1).max(100) }))
      .output(type<void>()),
    /** Every step that moved to another model because of a failure, with its cause. */
    escalations: base.input(bySession).output(type<readonly Escalation[]>()),
    /** The last turn. Waits until it has ended. */
    result: base.input(bySession).output(type<RunResult>()),
    replay: base.input(bySession).output(type<ReplayReport>()),
  },
  /** Files that the user gives with messages. They are stored at once, so a draft still has them after a restart. */
  attachments: {
    keep: base.input(keptFileSchema).output(type<Attachment>()),
    /** The conversations in a chat app's export, to choose from. Null: the file is no such export. */
    chats: base.input(listChatsInput).output(type<ChatListing | null>()),
    /** Stores some of them, each as its own file. Rejects with `conflict` if the file has changed since. */
    keepChats: base.input(keepChatsInput).output(type<readonly Attachment[]>()),
    /** An image to display; null if it is gone or no image. */
    read: base.input(readInput).output(type<{ mediaType: string; data: string } | null>()),
    /** What a model would get of a message: what is cut, and what no model can see. */
    preview: base.input(previewInput).output(type<AttachmentPreview>()),
    /** Finds files, folders, functions, classes and methods by a part of their names, best first. */
    find: base.input(findInput).output(type<readonly FoundFile[]>()),
    /** Resources that tool servers offer here, as each last listed them, best first. Starts no server. */
    resources: base.input(resourcesInput).output(type<readonly FoundResource[]>()),
    /** Asks the server for a resource and stores each part of it as an attachment. */
    keepResource: base.input(keepResourceInput).output(type<readonly Attachment[]>()),
    /** Prompts that tool servers offer here, as each last listed them. Starts no server. */
    prompts: base.input(promptsInput).output(type<readonly FoundPrompt[]>()),
    /** Asks the server for a prompt, with its arguments. Invisible characters in its text are made visible. */
    takePrompt: base.input(takePromptInput).output(type<TakenPrompt>()),
  },
  changes: {
    show: base.input(changedPaths).output(type<readonly ChangedFile[]>()),
    take: base.input(decidedPaths).output(type<ChangeOutcome>()),
    /** Undoes open changes and brings undone ones back. Hunks are handled one by one. */
    undo: base.input(decidedPaths).output(type<ChangeOutcome>()),
    /** Where the session can be restored to, oldest first. */
    checkpoints: base.input(bySession).output(type<readonly Checkpoint[]>()),
    /** Sets files, conversation or both back to a checkpoint. To restore to the checkpoint of a restore undoes that. */
    restore: base.input(bySession.extend(restoreChoice.shape)).output(type<RestoreOutcome>()),
    /** A file as the session left it, from the log. */
    file: base.input(bySession.extend({ source: shownFileSourceSchema })).output(type<ShownFile>()),
    /** Untracked files that commands left, and that this machine may run or obey later. */
    untracked: base.input(bySession).output(type<readonly UntrackedPlace[]>()),
  },
};
