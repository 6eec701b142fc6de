import { z } from 'zod';
import { contextEvents, terminalEvents } from './context-events.ts';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { blobRefSchema } from './blob-ref.ts';
import { surenessSchema, energySchema, engineReportSchema, prefillReportSchema, timingsSchema } from './call-report.ts';
import { fenceFindingSchema } from '@shared/safety/fences.ts';
import { gateCheckSchema } from './gate-check.ts';
import { historyCopiedSchema } from '@shared/safety/approval-grants.ts';
import { instructionEvents } from '@shared/safety/instruction-files.ts';
import { approvalScopeSchema, networkUseSchema } from '@shared/safety/network-access.ts';
import { partSchema } from '@shared/models/model-messages.ts';
import { sandboxPayloads } from './sandbox-events.ts';
import { stageSchema, whereSchema } from '@shared/models/model-info.ts';
import { priceSchema, usageSchema } from '@shared/money/token-cost.ts';
import { routeDetailSchema } from '@shared/routing/routing.ts';

/**
 * The facts of a session. The log is the truth: everything shown or counted is a pure function of these.
 * Deltas and output chunks are never events; the matching `*-ended` event holds the whole.
 * A reader skips event types that it does not know; a log of another version is refused, not guessed at.
 */
export const LOG_VERSION = 2;

export type BlobRef = z.infer<typeof blobRefSchema>;

/** What a cap on money is set for; a step is one model call, a task one turn. */
export const capScopeSchema = z.enum(['step', 'task', 'session', 'project', 'day', 'month']);

export const workspaceModeSchema = z.enum(['in-place', 'copy', 'scratch']);
export type WorkspaceMode = z.infer<typeof workspaceModeSchema>;

/** Why a turn ended. Every limit has a reason of its own; `sandbox-lost`: it went away and was not back in time. */
export const turnEndReasonSchema = z.enum([
  'done',
  'answered',
  'planned',
  'gave-up',
  'step-limit',
  'time-limit',
  'token-limit',
  'output-limit',
  'repeated-call',
  'alternating-calls',
  'repeated-rejection',
  'criterion-unmet',
  'cap',
  /** What it would have had to send is not to leave this machine. */
  'fenced',
  'needs-approval',
  'missing',
  'sandbox-lost',
  'cancelled',
  'crashed',
  'error',
]);
export type TurnEndReason = z.infer<typeof turnEndReasonSchema>;

/** How sure the product is of an accepted change, and why ("weak tests": mutants of the change survive). */
export const confidenceSchema = z.enum(['high', 'weak-tests', 'mechanical', 'unchecked']);
export type Confidence = z.infer<typeof confidenceSchema>;

/** Why a step's model was called. */
export const purposeSchema = z.enum([
  'act',
  'locate',
  'propose',
  'repair',
  'answer',
  'plan',
  'summarise',
  'choose',
  'title',
  /** Another model is asked on a digest of the work: what to do next, or whether it is done. */
  'advise',
  'review',
]);
export type Purpose = z.infer<typeof purposeSchema>;

export const stopReasonSchema = z.enum([
  'stop',
  'length',
  /** It said the same again and again and was stopped. */
  'repetition',
  'tool-calls',
  'stop-sequence',
  'cancelled',
  'error',
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

export const toolStatusSchema = z.enum(['ok', 'error', 'refused', 'timed-out', 'cancelled', 'unknown']);
export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** Who did something to a file: a tool the model called, a recipe's program, an undo or a take by a person. */
export const actorSchema = z.enum(['model', 'recipe', 'undo', 'take']);
export type Actor = z.infer<typeof actorSchema>;

/** One side of a file's change. `null`: the file was not there. `kept: false`: it was there but its bytes were not kept, and why. */
export const fileImageSchema = z.union([
  z.object({ kept: z.literal(true), blob: blobRefSchema, mode: z.number().int() }),
  z.object({ kept: z.literal(false), why: z.enum(['too-large', 'ignored', 'not-a-file', 'no-text-name']) }),
  z.null(),
]);
export type FileImage = z.infer<typeof fileImageSchema>;

const criterionSchema = z.object({ command: z.string(), source: z.enum(['option', 'project']) }).nullable();

export const payloads = {
  'session-created': z.object({
    logVersion: z.number().int(),
    sessionId: z.string(),
    appVersion: z.string(),
    title: z.string(),
    projectPath: z.string().nullable(),
    workspace: z.object({ mode: workspaceModeSchema, path: z.string() }),
    parentId: z.string().nullable(),
    groupId: z.string().nullable(),
  }),
  /** `callId`: the model call whose answer the title is; absent: the user wrote it. */
  'session-renamed': z.object({ title: z.string(), callId: z.string().optional() }),
  /**
   * Everything before it was copied from another log, as it was there: what it cost was paid there, and its sandbox is
   * not this session's.
   */
  'history-copied': historyCopiedSchema,
  /** Something was wrong with the log when it was opened; the damaged bytes lie in `movedTo`, nothing was deleted. */
  'session-repaired': z.object({ reason: z.string(), movedBytes: z.number().int(), movedTo: z.string().nullable() }),
  ...sandboxPayloads,
  /** `queued`: the text came while a turn ran, and waits; `message-delivered` says when the model saw it. */
  'user-message-added': z.object({
    messageId: z.string(),
    text: z.string(),
    queued: z.boolean(),
    attachments: z.array(attachmentSchema).optional(),
  }),
  'message-delivered': z.object({ messageId: z.string() }),
  /** No turn took it and none will: the process ended first. It can be sent again. */
  'message-dropped': z.object({ messageId: z.string() }),
  /** A person changed the plan that a turn ended with: from now on these are its steps. */
  'plan-edited': z.object({ planTurnId: z.string(), steps: z.array(z.string()) }),
  'turn-started': z.object({
    messageId: z.string(),
    plan: z.boolean(),
    criterion: criterionSchema,
    cascade: z.array(stageSchema),
    limits: z.object({
      maxSteps: z.number().int(),
      maxMinutes: z.number(),
      maxTokens: z.number().int(),
      maxUsd: z.number().nullable(),
    }),
  }),
  /** The success criterion was run: once before the work, and again before the end is believed. */
  'criterion-checked': z.object({
    phase: z.enum(['before', 'after']),
    command: z.string(),
    exitCode: z.number().int().nullable(),
    passed: z.boolean(),
    summary: z.string(),
    /** It failed before the work for something that the task is not about, and fails no more than then. */
    unrelated: z.literal(true).optional(),
  }),
  'gate-checked': gateCheckSchema,
  'cache-prefilled': prefillReportSchema,
  'stage-chosen': z.object({
    stage: stageSchema,
    recipe: z.string().nullable(),
    reason: z.string(),
    index: z.number().int(),
    /** Why the stage before it gave up; null for the first, and where another model goes on for a gain. */
    cause: z.enum(['no-progress', 'format', 'checks', 'transport', 'window', 'cap', 'fence']).nullable(),
  }),
  'route-decided': z.object({
    callId: z.string(),
    chosen: z.object({ model: z.string(), where: whereSchema }),
    runnerUp: z.object({ model: z.string(), where: whereSchema }).nullable(),
    reasonCode: z.string(),
    reason: z.string(),
    /** What the decision was taken by. */
    ...routeDetailSchema.partial().shape,
  }),
  /** What the call carries, or would have, lies in `manifest`. */
  'call-fenced': fenceFindingSchema.extend({
    step: z.number().int(),
    purpose: purposeSchema,
    manifest: blobRefSchema.nullable(),
  }),
  'engine-waited': z.object({ callId: z.string(), waitedMs: z.number() }),
  'model-call-started': z.object({
    callId: z.string(),
    step: z.number().int(),
    purpose: purposeSchema,
    stage: stageSchema,
    provider: z.string(),
    model: z.string(),
    /** The exact request, so that a prompt is never guessed again. */
    request: blobRefSchema,
    /** Tokens of the prompt by the model's own tokenizer; null when only the provider can tell. */
    promptTokens: z.number().int().nullable(),
  }),
  'model-call-ended': z.object({
    callId: z.string(),
    parts: z.array(partSchema),
    stopReason: stopReasonSchema,
    usage: usageSchema,
    /** Prompt tokens that were computed again in this call; null where the provider does not say. */
    evaluatedTokens: z.number().int().nullable(),
    timings: timingsSchema,
    price: priceSchema.nullable(),
    costUsd: z.number().nullable(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        /** How long the service wants to be left alone. */
        retryAfterMs: z.number().optional(),
      })
      .nullable(),
    /** The model that answered, by the service's own word; absent where it does not say. */
    answeredBy: z.string().optional(),
    /** Absent for models that do not run in the engine of this machine. */
    engine: engineReportSchema.optional(),
    /** Absent where nobody knows, and for services. */
    energy: energySchema.optional(),
    sureness: surenessSchema.optional(),
  }),
  'tool-call-requested': z.object({
    toolCallId: z.string(),
    callId: z.string(),
    tool: z.string(),
    input: z.unknown(),
    style: z.enum(['native', 'schema', 'text', 'grammar']),
    /** What was repaired in the arguments before they parsed; empty for a strict parse. */
    repairs: z.array(z.string()),
  }),
  'approval-requested': z.object({
    approvalId: z.string(),
    toolCallId: z.string(),
    kind: z.string(),
    subject: z.string(),
    /** Of exactly what would be done; looked at again when it is done. */
    sha256: z.string(),
    /** Of a command that asks for a network: the hosts, if a yes is for once alone, and why it is asked, in Dewpoint's words and in the model's. */
    hosts: z.array(z.string()).optional(),
    isOnce: z.boolean().optional(),
    reason: z.string().optional(),
    why: z.string().optional(),
    /** The whole of what a yes would be said to, where `subject` only names it; and how it differs from what had one. */
    text: z.string().optional(),
    diff: z.string().optional(),
  }),
  'approval-answered': z.object({
    approvalId: z.string(),
    answer: z.enum(['allow', 'deny']),
    by: z.enum(['person', 'policy', 'nobody']),
    /** For how long a yes to hosts holds; absent: for this once. */
    scope: approvalScopeSchema.optional(),
    /** Why the policy said so. */
    reason: z.string().optional(),
  }),
  /** Written when the command has ended, once for each host, port and outcome. */
  'network-used': networkUseSchema,
  /** Written before the side effect. `by` tells a step's tool call from a recipe's action. */
  'tool-started': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    by: z.enum(['model', 'recipe']),
    input: z.unknown(),
    label: z.string(),
  }),
  'tool-ended': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    status: toolStatusSchema,
    /** What the model sees (capped: head and tail). */
    output: z.string(),
    /** The whole of it, where the capped text is not the whole. */
    full: blobRefSchema.nullable(),
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
    /** How long a person was waited for in it; absent: nobody was. */
    waitedMs: z.number().optional(),
    /** The result as data, for a recipe's action: what a replay hands back instead of acting. A blob above 32 KB. */
    data: z.unknown(),
    dataBlob: blobRefSchema.nullable(),
  }),
  'file-changed': z.object({
    path: z.string(),
    before: fileImageSchema,
    after: fileImageSchema,
    by: actorSchema,
    toolCallId: z.string().nullable(),
    added: z.number().int().nullable(),
    removed: z.number().int().nullable(),
    /** For `by: 'undo'`: the `file-changed` events (seq) that this one takes back. */
    undoes: z.array(z.number().int()),
  }),
  'changes-taken': z.object({ paths: z.array(z.string()), target: z.string() }),
  /** The worst case of a call would pass a cap: the call was not made. US dollars. */
  'cap-reached': z.object({
    capId: z.string(),
    model: z.string(),
    scope: capScopeSchema,
    limitUsd: z.number(),
    spentUsd: z.number(),
    /** Put aside for other calls that had not ended. */
    heldUsd: z.number(),
    /** Null: the price is not known, so that nobody could say whether the cap holds. */
    worstUsd: z.number().nullable(),
    /** The model that could go on here; null: there is none. */
    here: z.string().nullable(),
  }),
  'cap-answered': z.object({
    capId: z.string(),
    answer: z.enum(['stop', 'local', 'raise']),
    /** By how much the cap was raised; null where it was not. */
    raisedUsd: z.number().nullable(),
    by: z.enum(['person', 'policy', 'nobody']),
  }),
  'recipe-progressed': z.object({ recipe: z.string(), phase: z.string(), text: z.string(), data: z.unknown() }),
  ...contextEvents,
  ...instructionEvents,
  ...terminalEvents,
  /** Something a person should know that is no failure of the turn (a sandbox limit not enforced, a retried call). */
  'notice-added': z.object({ level: z.enum(['info', 'warning']), code: z.string(), text: z.string() }),
  'child-session-ended': z.object({ sessionId: z.string(), costUsd: z.number().nullable(), usage: usageSchema }),
  'turn-ended': z.object({
    reason: turnEndReasonSchema,
    /** What the agent says at the end: a summary, an answer or a plan; or why it stopped. */
    text: z.string(),
    confidence: confidenceSchema.nullable(),
    /** What is missing (reason `missing`), or the error. */
    failure: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
  }),
} as const;

const stamp = {
  v: z.number().int(),
  /** 1, 2, 3 … without a gap. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970, stamped at append. */
  at: z.number(),
  turnId: z.string().optional(),
};

type Payloads = { [Type in keyof typeof payloads]: z.infer<(typeof payloads)[Type]> };
export type EventType = keyof Payloads;

/** An event before the log has stamped it. */
export type NewEvent = {
  [Type in EventType]: { readonly type: Type; readonly turnId?: string } & Readonly<Payloads[Type]>;
}[EventType];

/** An event as it lies in the log. */
export type SessionEvent = NewEvent & { readonly v: number; readonly seq: number; readonly at: number };
export type EventOf<Type extends EventType> = Extract<SessionEvent, { type: Type }>;

const stampSchema = z.object({ ...stamp, type: z.string() }).loose();
export const eventTypes: readonly string[] = Object.keys(payloads);
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(payloads, type);
}

/**
 * Parses one record of a log. `null`: a type this version does not know, to be skipped.
 * Throws a ZodError for a known type with a wrong shape.
 */
export function parseEvent(record: unknown): SessionEvent | null {
  const stamped = stampSchema.parse(record);
  if (!isEventType(stamped.type)) return null;
  const payload = payloads[stamped.type].parse(stamped);
  const turn = stamped.turnId === undefined ? {} : { turnId: stamped.turnId };
  // The one cast at this edge: the payload was parsed by the schema that its type names.
  return { ...payload, type: stamped.type, v: stamped.v, seq: stamped.seq, at: stamped.at, ...turn } as SessionEvent;
}

/**
 * Pushes that are never stored; the matching `*-ended` event repairs a lost one. `pieces`: how many came as one, where a
 * subscriber came in the middle; one without it.
 */
export type Transient =
  | { readonly type: 'text-delta'; readonly callId: string; readonly text: string; readonly pieces?: number }
  | { readonly type: 'reasoning-delta'; readonly callId: string; readonly text: string; readonly pieces?: number }
  | {
      readonly type: 'output-chunk';
      readonly toolCallId: string;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | {
      readonly type: 'call-progress';
      readonly callId: string;
      readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
      readonly done: number;
      readonly total: number | null;
    };
