import { type } from '@orpc/contract';
import { z } from 'zod';
import { attachmentSchema, type Attachment } from '@shared/attachments/attachment.ts';
import { findInput, type FoundFile, keptFileSchema, readInput } from '@shared/attachments/attachment-inputs.ts';
import { type Comparison, comparisonInputSchema } from '@shared/comparisons/comparison.ts';
import { base } from './contract-base.ts';
import type { CostReport } from '@shared/money/cost-report.ts';
import type { Escalation } from '@shared/routing/escalations.ts';
import { type EventOf, type SessionEvent, type Transient } from '@shared/events/events.ts';
import { sandboxTierSchema, type UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { ImportedSession } from '@shared/safety/approval-grants.ts';
import { hostContract } from './host-contract.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { KeptItem } from '@shared/projects/project-preparation.ts';
import { budgetContract } from './budget-contract.ts';
import type { StepCost } from '@shared/money/step-costs.ts';
import { projectsContract } from './projects-contract.ts';
import type { ModelChoice } from '@shared/models/model-choice.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { approvalScopeSchema } from '@shared/safety/network-access.ts';
import { memoryPlanInputSchema } from '@shared/models/memory-plan-input.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { KeptCard, ProbeProgress } from '@shared/models/probe-card.ts';
import { rulesContract } from './rules-contract.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { sandboxContract } from './sandbox-contract.ts';
import { settingsContract } from './settings-contract.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SessionPart } from '@shared/session/session-part.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Trimming } from '@shared/session/prompt-trimming.ts';
import { workspaceModeSchema } from '@shared/events/session-events.ts';

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
}

/** Another way taken from a session. */
export interface ForkOutcome {
  readonly sessionId: string;
  /** Files of the new workspace that could not be made what they were at that point. */
  readonly notRestored: readonly { readonly path: string; readonly why: string }[];
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
}

export interface ReplayReport {
  readonly matched: boolean;
  readonly stateHash: string;
  readonly recordedHash: string;
  readonly events: number;
  readonly firstDifference: string | null;
}

export interface ModelEntry {
  readonly id: string;
  readonly label: string;
  readonly where: 'local' | 'cloud';
  /** `ready`: can be called now. `downloadable`: known, not on this machine. */
  readonly state: 'ready' | 'downloadable' | 'unreachable';
  readonly sizeBytes: number | null;
  readonly licence: string | null;
  readonly info: ModelInfo | null;
  readonly note: string | null;
  /** What it would get of this machine's memory, in a line; only where one model is shown. Null: not known. */
  readonly fit?: string | null;
  /** Of a model of the catalogue: which documents the keys of its header, and so its fit, were taken from. */
  readonly headerFrom?: readonly string[];
  /** Its file, where there is or would be one; `isOurs` when removing the model deletes it. */
  readonly file?: { readonly path: string; readonly hereBytes: number; readonly isOurs: boolean };
  /** Of a server: it is installed and does not run; the setting `start` of its provider has Dewpoint start it. */
  readonly canStart?: boolean;
  /** What its probe found out; absent: it was not probed. */
  readonly card?: KeptCard;
  /** Of a repository of a hub: what can be fetched of it, the smallest first. */
  readonly choices?: readonly ModelChoice[];
}

/** What became of a model that was removed; `forgotten`: its file is the user's own and lies where it lay. */
export interface ModelRemoval {
  readonly done: 'deleted' | 'forgotten';
  readonly path: string;
  /** What was freed. */
  readonly bytes: number;
}

/** What is wrong with a model of a server and can be repaired by a derived one. */
export interface ModelRepair {
  /** Null: nothing. */
  readonly problem: string | null;
  /** What would be done, in a sentence; null: nothing can be. */
  readonly plan: string | null;
  /** The id of the model that was made; null: nothing was done. */
  readonly made: string | null;
}

export interface PullProgress {
  readonly phase: 'checking' | 'downloading' | 'joining' | 'verifying' | 'done';
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly text: string;
}

/** One line of `doctor`. */
export interface Finding {
  readonly area: string;
  readonly status: 'ok' | 'warning' | 'missing';
  readonly text: string;
  readonly hint: string | null;
}

/** Where the key of a provider comes from; never the key. */
export interface KeyEntry {
  readonly provider: string;
  readonly source: 'environment' | 'this-run' | 'store' | null;
  /** The environment variable that may hold it. */
  readonly variable: string | null;
}

/** The keys, and whether this system has a place for them. */
export interface KeyReport {
  readonly store:
    | { readonly type: 'ready' }
    | { readonly type: 'locked' | 'unavailable'; readonly message: string; readonly hint: string };
  readonly keys: readonly KeyEntry[];
}

/** A call of a service that costs nothing, with the key that is set. `open`: it answers whoever asks, `unknown`: not at all. */
export interface KeyTest {
  readonly test: 'accepted' | 'open' | 'refused' | 'unknown';
  /** What the service said. */
  readonly text: string;
}

/** What became of a key that was set. */
export interface KeyOutcome extends KeyTest {
  readonly kept: 'store' | 'this-run';
}

const capDecisionSchema = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('stop') }),
  z.object({ answer: z.literal('local') }),
  z.object({ answer: z.literal('raise'), usd: z.number().positive() }),
]);
const id = z.string().min(1).max(100);
const bySession = z.object({ sessionId: id });
const changedPaths = bySession.extend({ paths: z.array(z.string()).default([]) });
const seq = z.number().int().positive();
const path = z.string().min(1);
const historyPlace = z.union([z.object({ before: seq }), z.object({ from: seq })]);
const byId = z.object({ id });

/** Every command and stream of the core: the same for the terminal, the window, the browser and a second process. */
export const contract = {
  home: {
    info: base.output(type<{ pid: number; version: string; home: string; cache: string }>()),
  },
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
    /** From `fromSeq` on, for as long as the subscriber listens. */
    events: base
      .input(bySession.extend({ fromSeq: z.number().int().positive().default(1) }))
      .output(type<AsyncIterable<SessionPush>>()),
    cancel: base.input(bySession).output(type<void>()),
    approve: base
      /** `scope`: for how long a yes to hosts holds; for this once without it. */
      .input(
        z.object({
          sessionId: id,
          approvalId: z.string(),
          answer: z.enum(['allow', 'deny']),
          scope: approvalScopeSchema.optional(),
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
    /** The same history up to a point (before or after what has this id) or all of it, with its files as they were there; the project folder is left alone. */
    fork: base
      .input(bySession.extend({ at: z.union([z.object({ before: id }), z.object({ after: id })]).optional() }))
      .output(type<ForkOutcome>()),
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
    /** An image, for showing it; null where it is gone or no image. */
    read: base.input(readInput).output(type<{ mediaType: string; data: string } | null>()),
    /** Files and folders by what is typed of their names, best first. */
    find: base.input(findInput).output(type<readonly FoundFile[]>()),
  },
  changes: {
    show: base.input(changedPaths).output(type<readonly ChangedFile[]>()),
    take: base.input(changedPaths).output(type<ChangeOutcome>()),
    undo: base.input(changedPaths).output(type<ChangeOutcome>()),
    /** What commands left beside them, and this machine goes by later. */
    untracked: base.input(bySession).output(type<readonly UntrackedPlace[]>()),
  },
  models: {
    list: base.output(type<readonly ModelEntry[]>()),
    /** `fit`: with what it would get of this machine's memory, for which its header and the hardware are read. */
    show: base.input(z.object({ id: z.string(), fit: z.boolean().default(false) })).output(type<ModelEntry>()),
    pull: base.input(z.object({ id: z.string() })).output(type<AsyncIterable<PullProgress>>()),
    /** A GGUF file anywhere on this machine (its whole path), by reference; without a name it gets the file's. */
    import: base
      .input(z.object({ path: z.string().min(1), name: z.string().nullable().default(null) }))
      .output(type<ModelEntry>()),
    /** Asks a model small things for about a minute, to find out how it is best driven. A session of its own. */
    probe: base.input(z.object({ id: z.string().min(1) })).output(type<AsyncIterable<ProbeProgress>>()),
    /** Deletes what Dewpoint downloaded, forgets what was imported. Whoever asks has made sure that it is wanted. */
    remove: base.input(z.object({ id: z.string().min(1) })).output(type<ModelRemoval>()),
    /** Without `apply` it only says what is wrong and what would be done. Whoever sets it has asked the person. */
    repair: base.input(z.object({ id: z.string().min(1), apply: z.boolean() })).output(type<ModelRepair>()),
  },
  sandboxes: sandboxContract,
  plan: base.input(memoryPlanInputSchema).output(type<MemoryPlanAnswer>()),
  keys: {
    list: base.output(type<KeyReport>()),
    /** `forThisRun`: kept in the memory of the core only, where the system has no key store. */
    set: base
      .input(
        z.object({
          provider: z.string().min(1).max(100),
          value: z.string().min(1).max(20_000),
          forThisRun: z.boolean().default(false),
        }),
      )
      .output(type<KeyOutcome>()),
    /** Also of an endpoint that needs none. */
    test: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<KeyTest>()),
    remove: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<void>()),
    /** Puts back what was removed a moment ago (`removedKeyMs`): the core has it, and whoever asks never sees it. */
    restore: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<void>()),
  },
  /** The same task under several policies (`comparison.ts`). */
  comparisons: {
    create: base.input(comparisonInputSchema).output(type<{ id: string }>()),
    /** Carries out the runs that have not ended; `maxUsd` from now on is for all of them together. */
    start: base.input(byId.extend({ maxUsd: z.number().nonnegative().optional() })).output(type<void>()),
    /** As it is, then after each change; ends when nothing is carried out. */
    watch: base.input(byId).output(type<AsyncIterable<Comparison>>()),
    cancel: base.input(byId).output(type<void>()),
    show: base.input(byId).output(type<Comparison>()),
    list: base.output(type<readonly Comparison[]>()),
  },
  /** What each step of a session cost, and would have in the other place. */
  stepCosts: base.input(bySession).output(type<readonly StepCost[]>()),
  budget: budgetContract,
  costs: base
    .input(
      z.object({
        by: z.enum(['day', 'model', 'project', 'session']).default('day'),
        since: z.iso.date().optional(),
        project: z.string().optional(),
      }),
    )
    .output(type<CostReport>()),
  rules: rulesContract,
  settings: settingsContract,
  projects: projectsContract,
  /** What is kept in the container engine, and the removal of what is not needed, or of all of it. */
  clean: base
    .input(z.object({ remove: z.enum(['nothing', 'unneeded', 'all']), images: z.boolean().optional() }))
    .output(type<readonly KeptItem[]>()),
  doctor: base.output(type<readonly Finding[]>()),
  host: hostContract,
};
