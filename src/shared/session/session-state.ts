import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { EventOf } from '@shared/events/events.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EngineReport, Energy, Timings } from '@shared/events/call-report.ts';
import type { SandboxTier, UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { Stage, Where } from '@shared/models/model-info.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { PlanItem } from '@shared/events/conversation-events.ts';
import type { RunStatus } from './run-options.ts';
import type { ChangeState } from './file-change-state.ts';
import type { Confidence, TurnEndReason } from '@shared/events/turn-events.ts';
import type { Purpose, StopReason } from '@shared/events/call-events.ts';
import type { LeftTask, ToolStatus } from '@shared/events/tool-events.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import type { ChildState, TreePlace } from './agent-tree.ts';
import type { InnerCallState } from './inner-calls.ts';
import type { ServerUse } from './server-use.ts';

/** Raised whenever the shape of the state or the meaning of a field changes: snapshots of another version are not used. */
export const STATE_VERSION = 19;

/**
 * What every host shows of a session: a pure function of its events, small whatever the length of the log (texts are
 * capped, only the latest of each list is kept; `totals` counts all). Status is derived, never stored: see the
 * functions below. The whole of anything is in the log.
 */
export interface SessionState {
  /** The last event folded in. */
  readonly seq: number;
  readonly sessionId: string | null;
  readonly title: string;
  readonly appVersion: string;
  readonly projectPath: string | null;
  readonly workspace: { readonly mode: WorkspaceMode; readonly path: string } | null;
  readonly parentId: string | null;
  readonly groupId: string | null;
  /** Absent: it is the root of its own tree. */
  readonly tree?: TreePlace;
  readonly createdAt: number;
  /** When it was worked on last; putting it in order does not count. */
  readonly lastAt: number;
  /** How you keep it in order; absent: as every session is at first. */
  readonly organized?: SessionPlace;
  readonly sandbox: SandboxState | null;
  readonly turns: readonly TurnState[];
  readonly messages: readonly MessageState[];
  /** The agents that it started, in the order of their start; absent: none. */
  readonly children?: readonly ChildState[];
  /** Messages that wait for the running turn, whole. */
  readonly queued: readonly Omit<MessageState, 'isDropped'>[];
  /** The plan that a person changed last, by the turn that made it; null: none was. */
  readonly plan: { readonly turnId: string; readonly steps: readonly string[] } | null;
  /** Ids of the latest messages that no turn has taken: while a process runs it will; after one ended nobody does. */
  readonly pending: readonly string[];
  readonly steps: readonly StepState[];
  /** Tool calls of models. */
  readonly toolCalls: readonly ToolCallState[];
  /** What recipes did by themselves. */
  readonly actions: readonly ToolCallState[];
  /** Approvals nobody has answered. */
  readonly approvals: readonly ApprovalState[];
  /** The cap at which the turn waits for an answer; null: it does not. */
  readonly cap: CapState | null;
  /** By path, in the order of the first change. */
  readonly changes: readonly ChangeState[];
  /** What commands left where changes are not tracked, and this machine goes by later; the latest of each path. */
  readonly untracked: readonly UntrackedPlace[];
  /** The project's instructions for agents, as the last turn took them; null: it brings none. */
  readonly instructions: InstructionView | null;
  readonly notices: readonly NoticeState[];
  readonly progress: readonly ProgressState[];
  /** Why the next call will run where it does; moved into its step when the call starts. */
  readonly routes: readonly RouteState[];
  readonly compactions: number;
  readonly totals: Totals;
}

export interface SessionPlace {
  readonly isPinned: boolean;
  /** It is in no list, but search and a filter find it. */
  readonly isArchived: boolean;
  readonly tags: readonly string[];
}

export type InstructionView = Pick<EventOf<'instructions-found'>, 'path' | 'sha256' | 'state' | 'use' | 'reason'>;

interface Totals {
  readonly turns: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly actions: number;
  /** Changed paths that are not in `changes` because there are too many: read them from the log. */
  readonly changesLeftOut: number;
}

export type CapState = Pick<
  EventOf<'cap-reached'>,
  'capId' | 'model' | 'scope' | 'limitUsd' | 'spentUsd' | 'heldUsd' | 'worstUsd' | 'here' | 'at'
>;

export interface SandboxState {
  readonly tier: SandboxTier;
  readonly image: string | null;
  readonly description: string;
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  /** Why it was lost, when it was and has not been made again. */
  readonly lost: string | null;
  /** Commands that go on beside the others, and the last ones that have ended, in the order of their start. */
  readonly services: readonly ServiceView[];
}

export interface ServiceView {
  readonly id: string;
  /** One line. */
  readonly command: string;
  readonly status: 'running' | 'exited' | 'stopped' | 'lost';
  readonly exitCode: number | null;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAt: number;
}

export interface MessageState {
  readonly messageId: string;
  /** Of the event that brought it. */
  readonly seq: number;
  /** Capped. */
  readonly text: string;
  readonly at: number;
  readonly attachments?: readonly Attachment[];
  /** No turn took it and none will. */
  readonly isDropped?: true;
  /** The person did not write it. */
  readonly origin?: EventOf<'user-message-added'>['origin'];
}

export interface TurnState {
  readonly id: string;
  /** Of the event that began it. */
  readonly seq: number;
  readonly messageId: string;
  readonly plan: boolean;
  /** What the message was taken for; absent in logs from before. */
  readonly mode?: EventOf<'turn-started'>['mode'];
  readonly assistant?: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null while it runs. */
  readonly reason: TurnEndReason | null;
  /** What the agent said at the end. Capped. */
  readonly text: string;
  readonly confidence: Confidence | null;
  readonly failure: { readonly code: string; readonly message: string; readonly hint?: string | undefined } | null;
  readonly steps: number;
  /** What was done in it: tool calls of models that began, the end's own left out, and what recipes did by themselves. */
  readonly actions: number;
  readonly criterion: { readonly command: string; readonly source: 'option' | 'project' } | null;
  readonly before: CriterionResult | null;
  readonly after: CriterionResult | null;
  readonly cascade: readonly Stage[];
  readonly stages: readonly {
    readonly stage: Stage;
    readonly recipe: string | null;
    readonly reason: string;
    readonly at: number;
    readonly giveUpSeconds?: number | undefined;
  }[];
  readonly limits: EventOf<'turn-started'>['limits'];
  /** How far the plan is that it carries out, by the model's word; absent: nothing was said. Texts are capped. */
  readonly planItems?: readonly PlanItem[];
  /** What was used of servers of tools; absent: nothing was. */
  readonly servers?: readonly ServerUse[];
}

/** How the success criterion was found. */
export interface CriterionResult {
  readonly passed: boolean;
  readonly exitCode: number | null;
  /** The end of the output, capped: what failed, and the counts. */
  readonly summary: string;
  /** It failed before the work for something that the task is not about, and fails no more than then. */
  readonly unrelated?: true;
}

/** One model call. */
export interface StepState {
  readonly callId: string;
  readonly turnId: string | null;
  readonly step: number;
  readonly purpose: Purpose;
  readonly stage: Stage;
  readonly provider: string;
  readonly model: string;
  readonly where: Where;
  /** Why it ran there, in one sentence; empty where nothing was decided. */
  readonly reason: string;
  readonly startedAt: number;
  readonly promptTokens: number | null;
  readonly waitedMs: number;
  /** Null while it runs. */
  readonly end: StepEnd | null;
  readonly toolCallIds: readonly string[];
  /** One line for people: what it did, as far as is known. */
  readonly label: string;
}

export interface StepEnd {
  readonly at: number;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly evaluatedTokens: number | null;
  readonly timings: Timings;
  readonly costUsd: number | null;
  readonly energy?: Energy;
  /** How the engine of this machine held the model; absent for services. */
  readonly load?: Pick<
    EngineReport,
    'backend' | 'contextTokens' | 'predictedBytes' | 'observedBytes' | 'adapter' | 'drafts'
  >;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The visible answer. Capped. */
  readonly text: string;
}

export interface ToolCallState {
  readonly toolCallId: string;
  readonly turnId: string | null;
  /** The model call that asked for it; null for an action. */
  readonly callId: string | null;
  readonly tool: string;
  readonly label: string;
  /** Null: requested, not started; and not ended. */
  readonly startedAt: number | null;
  readonly status: ToolStatus | null;
  /** Capped; empty for all but the latest. */
  readonly output: string;
  readonly outputLeftOut: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** The whole of a result of which a part was shown. */
  readonly full?: NonNullable<EventOf<'tool-ended'>['full']>;
  /** Nothing ran: an equal call before it gave the result. */
  readonly isReused?: true;
  /** Files of pictures that it made or changed, or images that it gave back. */
  readonly pictures?: readonly string[];
  /** Of a tool of others: it gave back a table that is drawn. */
  readonly hasTable?: true;
  /** Of a tool of others: whose it is, and how many calls of further tools it carries. */
  readonly foreign?: { readonly server: string; readonly carries: number };
  /** Its server works, or worked, on it as this task. */
  readonly task?: LeftTask;
  /** Of a program: the calls that it made, the latest of them; `innerCalls` counts all. Absent: it made none. */
  readonly inner?: readonly InnerCallState[];
  readonly innerCalls?: number;
}

/** A call that has ended. `output`: as much of it as is held. */
export function endedCall(
  call: ToolCallState,
  { status, exitCode, durationMs, full, reusedFrom, pictures, data }: EventOf<'tool-ended'>,
  output: string,
): ToolCallState {
  const reused = reusedFrom === undefined ? {} : ({ isReused: true } as const);
  const shown = pictures === undefined ? {} : { pictures: pictures.map(({ name }) => name) };
  const table = call.foreign === undefined || fieldOf(data, 'table') === undefined ? {} : ({ hasTable: true } as const);
  return {
    ...call,
    status,
    output,
    exitCode,
    durationMs,
    ...(full === null ? {} : { full }),
    ...reused,
    ...shown,
    ...table,
  };
}

export interface ApprovalState {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly kind: string;
  readonly subject: string;
  readonly sha256: string;
  /** Of a command that asks for a network: the hosts, and why, in Dewpoint's words and in the model's. */
  readonly hosts?: readonly string[];
  /** A yes can hold for this command alone. */
  readonly isOnce?: boolean;
  readonly reason?: string;
  readonly why?: string;
  /** The whole of what a yes would be said to, where `subject` only names it; and how it differs from what had one. */
  readonly text?: string;
  readonly diff?: string;
  /** Of a tool server that asks something itself: its form, or the address that it wants opened. */
  readonly form?: ServerForm;
  readonly url?: string;
  readonly review?: ProgramReview;
  /** Images of what is asked about. */
  readonly pictures?: readonly Attachment[];
  /** The child session whose question it is. */
  readonly child?: string;
}

export interface NoticeState {
  readonly seq: number;
  readonly at: number;
  readonly level: 'info' | 'warning';
  readonly code: string;
  readonly text: string;
}

interface ProgressState {
  readonly seq: number;
  readonly at: number;
  readonly turnId: string | null;
  readonly recipe: string;
  readonly phase: string;
  readonly text: string;
}

interface RouteState {
  readonly callId: string;
  readonly reasonCode: string;
  readonly reason: string;
}

export const emptySession: SessionState = {
  seq: 0,
  sessionId: null,
  title: '',
  appVersion: '',
  projectPath: null,
  workspace: null,
  parentId: null,
  groupId: null,
  createdAt: 0,
  lastAt: 0,
  sandbox: null,
  turns: [],
  messages: [],
  queued: [],
  plan: null,
  pending: [],
  steps: [],
  toolCalls: [],
  actions: [],
  approvals: [],
  cap: null,
  changes: [],
  untracked: [],
  instructions: null,
  notices: [],
  progress: [],
  routes: [],
  compactions: 0,
  totals: { turns: 0, steps: 0, toolCalls: 0, actions: 0, changesLeftOut: 0 },
};

export const usualPlace: SessionPlace = { isPinned: false, isArchived: false, tags: [] };

/** How a turn that ended so ended, in the words of a result. */
export function runStatusOf(reason: TurnEndReason): RunStatus {
  switch (reason) {
    case 'done':
    case 'answered':
    case 'planned':
      return 'done';
    case 'gave-up':
    case 'criterion-unmet':
    case 'fenced':
      return 'gave-up';
    case 'step-limit':
    case 'time-limit':
    case 'token-limit':
    case 'output-limit':
    case 'repeated-call':
    case 'alternating-calls':
    case 'repeated-rejection':
      return 'limit';
    case 'sandbox-lost':
      return 'missing';
    case 'cap':
    case 'needs-approval':
    case 'missing':
    case 'cancelled':
      return reason;
    case 'crashed':
    case 'error':
      return 'error';
    default:
      return reason satisfies never;
  }
}

export function turnStatus(turn: TurnState): RunStatus | 'running' {
  return turn.reason === null ? 'running' : runStatusOf(turn.reason);
}

/** `new`: no turn yet. */
export function sessionStatus(state: SessionState): RunStatus | 'running' | 'new' {
  const last = state.turns.at(-1);
  return last ? turnStatus(last) : 'new';
}

export function toolCallStatus(call: ToolCallState): ToolStatus | 'requested' | 'running' {
  return call.status ?? (call.startedAt === null ? 'requested' : 'running');
}
