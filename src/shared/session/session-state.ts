import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { EventOf } from '@shared/events/events.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { notebookToolName } from '@shared/tools/canvas.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EngineReport, Energy, Timings } from '@shared/events/call-report.ts';
import type { SandboxTier, UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { Stage, Where } from '@shared/models/model-info.ts';
import type { TurnMoney } from '@shared/money/turn-money.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { PlanItem } from '@shared/events/conversation-events.ts';
import type { RunStatus } from './run-options.ts';
import type { ChangeState } from './file-change-state.ts';
import type { Confidence, TurnEndReason, TurnRouting } from '@shared/events/turn-events.ts';
import type { Purpose, StopReason } from '@shared/events/call-events.ts';
import type { LeftTask, ToolStatus } from '@shared/events/tool-events.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import type { ChildState, TreePlace } from './agent-tree.ts';
import type { InnerCallState } from './inner-calls.ts';
import type { RestoreState } from './restore-state.ts';
import type { ServerUse } from './server-use.ts';

/** Raised when the shape of the state or the meaning of a field changes. Snapshots of other versions are void. */
export const STATE_VERSION = 30;

/**
 * What every host shows of a session: a pure function of its events, small for any length of log. Texts are capped and
 * lists keep only the latest items; `totals` counts all. Statuses are derived by the functions below, never stored. The
 * log has everything in full.
 */
export interface SessionState {
  /** The last event folded in. */
  readonly seq: number;
  readonly sessionId: string | null;
  readonly title: string;
  readonly appVersion: string;
  readonly projectPath: string | null;
  /** The id of the project that it was begun in or moved into; null: it was moved out. Absent: its folder says it. */
  readonly project?: string | null;
  readonly workspace: EventOf<'session-created'>['workspace'] | null;
  readonly parentId: string | null;
  readonly groupId: string | null;
  /** The first session of the talk that this one is another branch of. */
  readonly branchOf?: string;
  /** Absent when the session is the root of its own tree. */
  readonly tree?: TreePlace;
  readonly createdAt: number;
  /** When it was last worked on. Organizing it does not count. */
  readonly lastAt: number;
  /** How the user organized it. Absent: not pinned, not archived, no tags. */
  readonly organized?: SessionPlace;
  readonly sandbox: SandboxState | null;
  readonly turns: readonly TurnState[];
  readonly messages: readonly MessageState[];
  /** What was chosen last, which the next message keeps. Empty: nothing was. */
  readonly chosen: ChosenOptions;
  /** The agents that it started, in order. Absent: none. */
  readonly children?: readonly ChildState[];
  /** Messages that wait for the running turn, uncut. */
  readonly queued: readonly Omit<MessageState, 'isDropped'>[];
  /** The plan that the user changed last, and the turn that made it; null when none was changed. */
  readonly plan: { readonly turnId: string; readonly steps: readonly string[] } | null;
  /** Ids of the latest messages that no turn has taken. The running process will take them; a new one will not. */
  readonly pending: readonly string[];
  readonly steps: readonly StepState[];
  /** Tool calls of models. */
  readonly toolCalls: readonly ToolCallState[];
  /** Actions of recipes. */
  readonly actions: readonly ToolCallState[];
  /** Approvals that nobody has answered. */
  readonly approvals: readonly ApprovalState[];
  /** The spending limit at which the turn waits for an answer; null when it does not wait. */
  readonly cap: CapState | null;
  /** Since when at least one question waits for the user; null: none does. */
  readonly waitingSince: number | null;
  /** By path, in the order of the first change. */
  readonly changes: readonly ChangeState[];
  /** Restores to a checkpoint, in order. Absent: none. */
  readonly restores?: readonly RestoreState[];
  /** Untracked files of commands that this machine may run or obey later; the latest for each path. */
  readonly untracked: readonly UntrackedPlace[];
  /** The project's instructions for agents, as the last turn used them; null when it has none. */
  readonly instructions: InstructionView | null;
  readonly notices: readonly NoticeState[];
  readonly progress: readonly ProgressState[];
  /** Why the next call will run where it does. Moves into its step when the call starts. */
  readonly routes: readonly RouteState[];
  readonly compactions: number;
  readonly totals: Totals;
}

export interface SessionPlace {
  readonly isPinned: boolean;
  /** No list shows it, but search and a filter find it. */
  readonly isArchived: boolean;
  readonly tags: readonly string[];
  /** Writes each call of a tool into its workspace as it ends. Absent: no. */
  readonly savesCalls?: boolean;
  /** The last turn whose end the user looked at. Absent: none. */
  readonly seen?: string;
}

export type InstructionView = Pick<EventOf<'instructions-found'>, 'path' | 'sha256' | 'state' | 'use' | 'reason'>;

interface Totals {
  readonly turns: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly actions: number;
  /** Number of changed paths that did not fit into `changes`. The log has them. */
  readonly changesLeftOut: number;
}

export type CapState = Pick<
  EventOf<'cap-reached'>,
  'capId' | 'model' | 'scope' | 'limitUsd' | 'spentUsd' | 'heldUsd' | 'worstUsd' | 'stepUsd' | 'here' | 'at'
>;

export interface SandboxState {
  readonly tier: SandboxTier;
  readonly image: string | null;
  readonly description: string;
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  /** Why the sandbox was lost; null when it was not lost or was made again. */
  readonly lost: string | null;
  /** Background processes that run, and the last ones that ended, in the order of their start. */
  readonly services: readonly ServiceView[];
}

export interface ServiceView {
  readonly id: string;
  /** One line. */
  readonly command: string;
  readonly status: 'running' | 'exited' | 'stopped' | 'lost';
  readonly exitCode: number | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

export interface MessageState {
  readonly messageId: string;
  readonly seq: number;
  /** Capped. */
  readonly text: string;
  readonly at: number;
  readonly attachments?: readonly Attachment[];
  /** No turn took it, and none will. */
  readonly isDropped?: true;
  /** Present when the app wrote it, not the user. */
  readonly origin?: EventOf<'user-message-added'>['origin'];
  /** What the person chose for it. */
  readonly chosen?: ChosenOptions;
}

export interface TurnState {
  readonly id: string;
  /** Of the event that began it. */
  readonly seq: number;
  readonly messageId: string;
  /** How the message was read. Absent in older logs. */
  readonly mode?: EventOf<'turn-started'>['mode'];
  readonly assistant?: string;
  /** The turn whose question this one's message answers, and whose task it goes on with. */
  readonly answers?: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** How long questions waited for the user, which is no work. Absent: nothing was asked. */
  readonly waitedMs?: number;
  /** Null while it runs. */
  readonly reason: TurnEndReason | null;
  /** The agent's last words, capped. */
  readonly text: string;
  readonly confidence: Confidence | null;
  readonly failure: { readonly code: string; readonly message: string; readonly hint?: string | undefined } | null;
  readonly steps: number;
  /** Steps that only failed and were tried again. The step limit does not count them. Absent: none. */
  readonly retries?: number;
  /** Actions of recipes, and started tool calls of models except the one that ends the task. */
  readonly actions: number;
  readonly check: { readonly command: string; readonly source: 'option' | 'project' } | null;
  readonly before: CheckResult | null;
  readonly after: CheckResult | null;
  readonly cascade: readonly Stage[];
  readonly stages: readonly {
    readonly stage: Stage;
    readonly recipe: string | null;
    readonly reason: string;
    readonly at: number;
    readonly giveUpSeconds?: number | undefined;
  }[];
  readonly limits: EventOf<'turn-started'>['limits'];
  /** Absent: nothing was used yet. */
  readonly money?: TurnMoney;
  /** The model's report on how far the plan is. Absent: none. Texts are capped. */
  readonly planItems?: readonly PlanItem[];
  /** Use of tool servers. Absent: none. */
  readonly servers?: readonly ServerUse[];
  /** Where it could work when it ended. Absent: it runs, was cancelled or cut off, or the log is older. */
  readonly routing?: TurnRouting;
  readonly memory?: EventOf<'turn-ended'>['memory'];
}

/** The result of running the success check. */
export interface CheckResult {
  readonly passed: boolean;
  readonly exitCode: number | null;
  /** The end of the output, capped: the failures and the counts. */
  readonly summary: string;
  /** The check failed before the work for a reason unrelated to the task, and fails no more than it did then. */
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
  /** Why it ran there, in one sentence; empty when there was no decision. */
  readonly reason: string;
  /** The chance, by the votes before it, that the weaker model does not do the rest. Absent: nothing was learned. */
  readonly fails?: number;
  readonly startedAt: number;
  readonly promptTokens: number | null;
  readonly waitedMs: number;
  /** Null while it runs. */
  readonly end: StepEnd | null;
  readonly toolCallIds: readonly string[];
  /** One line for people: what it did, as far as known. */
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
  /** How this machine's engine loaded the model. Absent for cloud services. */
  readonly load?: Pick<
    EngineReport,
    'backend' | 'contextTokens' | 'predictedBytes' | 'observedBytes' | 'adapter' | 'drafts'
  >;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The visible answer, capped. */
  readonly text: string;
}

export interface ToolCallState {
  readonly toolCallId: string;
  readonly turnId: string | null;
  /** The model call that asked for it; null for an action. */
  readonly callId: string | null;
  readonly tool: string;
  readonly label: string;
  /** Null: requested but not started. */
  readonly startedAt: number | null;
  readonly status: ToolStatus | null;
  /** Capped; empty for all but the latest. */
  readonly output: string;
  readonly outputLeftOut: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** The full result, if only a part was shown. */
  readonly full?: NonNullable<EventOf<'tool-ended'>['full']>;
  /** Nothing ran: an equal, earlier call gave the result. */
  readonly isReused?: true;
  /** Picture files that it made or changed, or images that it returned. */
  readonly pictures?: readonly string[];
  /** A connected tool returned a table that is drawn. */
  readonly hasTable?: true;
  /** For a connected tool: its server, and how many calls of other tools it carries. */
  readonly connected?: { readonly server: string; readonly carries: number };
  /** The server's task for this call, running or ended. */
  readonly task?: LeftTask;
  /** For a program: its latest calls; `innerCalls` counts all. Absent: it made none. */
  readonly inner?: readonly InnerCallState[];
  readonly innerCalls?: number;
}

/** A call with its end folded in. `output` holds as much as is kept. */
export function endedCall(
  call: ToolCallState,
  { status, exitCode, durationMs, full, reusedFrom, pictures, data, dataBlob }: EventOf<'tool-ended'>,
  output: string,
): ToolCallState {
  const names = (pictures ?? []).map(({ name }) => name);
  // A notebook's data are its drawings and nothing else.
  const hasDrawings = dataBlob !== null || fieldOf(data, 'drawings') !== undefined;
  if (hasDrawings && call.tool === notebookToolName) names.push(notebookToolName);
  const shown = names.length === 0 ? {} : { pictures: names };
  const table =
    call.connected === undefined || fieldOf(data, 'table') === undefined ? {} : ({ hasTable: true } as const);
  return {
    ...call,
    status,
    output,
    exitCode,
    durationMs,
    ...(full === null ? {} : { full }),
    ...(reusedFrom === undefined ? {} : { isReused: true }),
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
  /** For a command that asks for a network: its hosts, and why, in Dewpoint's words and in the model's. */
  readonly hosts?: readonly string[];
  /** A yes can hold for this command only. */
  readonly isOnce?: boolean;
  /** What a lasting yes to a tool covers. */
  readonly grant?: string;
  readonly reason?: string;
  readonly why?: string;
  /** The full text that a yes approves, if `subject` only names it, and its changes since the last approval. */
  readonly text?: string;
  readonly diff?: string;
  /** For a question from a tool server: its form, or the address that it wants opened. */
  readonly form?: ServerForm;
  readonly url?: string;
  readonly review?: ProgramReview;
  /** Images that belong to the question. */
  readonly pictures?: readonly Attachment[];
  /** The child session that asks. */
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
  readonly fails?: number;
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
  chosen: {},
  queued: [],
  plan: null,
  pending: [],
  steps: [],
  toolCalls: [],
  actions: [],
  approvals: [],
  cap: null,
  waitingSince: null,
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

/** The status for a turn's end reason, as a result says it. */
export function runStatusOf(reason: TurnEndReason): RunStatus {
  switch (reason) {
    case 'done':
    case 'answered':
    case 'planned':
      return 'done';
    case 'gave-up':
    case 'check-failed':
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
    case 'waiting':
    case 'incomplete':
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
