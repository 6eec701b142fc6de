import type { ApprovalKind } from '@shared/safety/approval-grants.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { ModelRequest, ProviderError } from '../../models/providers/define.ts';
import type { Decision } from '../../routing/define.ts';
import type { Trajectory } from '../../routing/trajectory/trajectory.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import type { AttachedFile } from '../../recipes/conversation-entries.ts';
import type { Conversation } from '../prompt/conversation.ts';
import type { FileChanges } from '../changes/file-changes.ts';
import type { PromptWarmer } from '../step/keep-warm.ts';
import type { LimitTracker } from './turn-limits.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { ReadLedger } from '../changes/read-ledger.ts';
import type { AgentDependencies, ResolvedModel } from './agent-dependencies.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { TokenEstimate } from '../prompt/token-estimate.ts';
import type { TurnLog } from './turn-log.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { CheckResult } from '@shared/session/session-state.ts';

/** `chat`: a question that needs no look at the project, or a conversation that has none. */
export type TurnMode = TaskMode | 'chat';

/** The turn that waits for the person. A message that answers its question goes on with its task. */
export interface AnsweredTurn {
  readonly turnId: string;
  /** The task as it was first given: it decides what kind of work this is, not the words of the answer. */
  readonly first: string;
  /** That task, and every answer since, the newest last. */
  readonly task: string;
  /** The answer calls the task off. */
  readonly isOff: boolean;
  readonly mode: TaskMode | null;
  /** The check before the work began; null: none ran. */
  readonly before: CheckResult | null;
  /** The model that asked; null: not known any more. */
  readonly model: string | null;
}

/** A running turn: what it works with, what it may spend, and how to stop it. */
export interface Turn {
  readonly id: string;
  readonly task: string;
  /**
   * What came with the messages of this turn. Images need a model that supports them. `isQuestion`: no message asks for
   * work, so no file is changed.
   */
  readonly given: {
    readonly attached: readonly AttachedFile[];
    hasImages: boolean;
    isQuestion: boolean;
    readonly mode: TurnMode;
    /** Set if the message answers the question of an earlier turn. */
    readonly answers: AnsweredTurn | null;
  };
  readonly dependencies: AgentDependencies;
  /** Replaced only where the turn takes what the person chose anew (`take-choice.ts`). */
  options: TurnOptions;
  readonly signal: AbortSignal;
  /** Stops the turn like the user's cancel. A replay calls it when it meets a recorded cancel. */
  readonly abort: (reason?: 'time-limit') => void;
  readonly log: TurnLog;
  readonly limits: LimitTracker;
  /** What prompts are made from. */
  readonly prompt: {
    readonly conversation: Conversation;
    readonly tokens: TokenEstimate;
    /** Lets the local model read the conversation ahead while a cloud model works. */
    readonly warm: PromptWarmer;
  };
  /** What was read and changed in the workspace. */
  readonly files: {
    readonly changes: FileChanges;
    readonly reads: ReadLedger;
    /** Results of calls that only read, to answer equal calls. Empty in a replay, which takes results from the log. */
    readonly repeated: Map<string, EffectRecord>;
  };
  readonly steps: {
    /** The number of the session's last step. Every model call is a step. */
    last: number;
    /** How the work has gone so far, computed from the log. The router decides steps by it. */
    readonly trajectory: () => Trajectory;
  };
  /** The facts gathered at the start of the turn; its models are found again if others are chosen. */
  readonly found: { facts: TurnFacts | null };
  /** What questions to the user go by. */
  readonly asking: {
    /** How often the user has said no in this turn, by the subject of the question. */
    readonly refusals: Map<string, number>;
    /** The user answers a question of the model later, so the turn ends, and its further questions wait with it. */
    isLeftOpen?: true;
    /**
     * Set for a call that a program of the agent makes: how the user's approval of the program answers a question about
     * this call. Null: the approval does not cover the question.
     */
    readonly announced?: (about: AnnouncedAbout) => 'allow' | 'deny' | null;
  };
  /** Counted from results in the log, so that a replay has the same numbers. */
  readonly progress: {
    okWrites: number;
    /** Commands that exited with 0. */
    okCommands: number;
    /** Calls of connected tools that ended well. */
    okConnected: number;
    /** Lines that a model proposed for the memory, kept or not. */
    proposedLines: number;
    /** The cloud would have continued where the local model gave up, but there was no network. */
    isCloudUnasked: boolean;
    lastCheck: { readonly okWrites: number; readonly check: CheckResult } | null;
  };
}

/**
 * What one model call needs from its caller: a turn, or a program that calls through the endpoint
 * (`src/main/endpoint`). It holds every check that a call must pass, so no caller can leave one out.
 */
export type CallingTurn = Omit<Turn, 'dependencies' | 'prompt' | 'files' | 'progress'> & {
  readonly prompt: Pick<Turn['prompt'], 'tokens' | 'warm'>;
  readonly dependencies: Pick<AgentDependencies, 'journal' | 'effects' | 'budget' | 'fences' | 'approver' | 'machine'>;
};

/** What an action needs from its turn: its dependencies, the log, and a way to stop. */
export type ActingTurn = Pick<Turn, 'dependencies' | 'log' | 'signal' | 'abort' | 'limits'>;

/** What a question to the user needs from its turn. */
export type AskingTurn = Pick<Turn, 'dependencies' | 'log' | 'signal' | 'options' | 'asking'>;

/** What a question is about; `hosts` is null if it is about no hosts. */
export interface AnnouncedAbout {
  readonly kind: ApprovalKind;
  readonly hosts: readonly string[] | null;
}

/** What an action on the turn's changes needs. */
export type ChangingTurn = ActingTurn & Pick<Turn, 'task' | 'files' | 'progress'>;

/** One model call, as `runStep` takes it. */
export interface StepRequest {
  readonly purpose: Purpose;
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly request: ModelRequest;
  readonly reason: { readonly code: string; readonly text: string };
  /** The route, if it is already decided. Absent: `runStep` decides it, with this model as the only candidate. */
  readonly decision?: Decision;
  /**
   * The work can go on without this call. Where a fence or a spending limit would ask the user, the call is not made.
   */
  readonly isOptional?: boolean;
  /** The call is not retried here, because its caller retries. */
  readonly isOnce?: true;
  /** False if nothing of the conversation so far is in the request, as in most questions of a recipe. Absent: true. */
  readonly carriesConversation?: boolean;
  /** Set if the server of a tool asked for this call. */
  readonly askedBy?: EventOf<'model-call-started'>['askedBy'];
  /** Attached texts that the request holds only the beginning of. */
  readonly cut?: EventOf<'model-call-started'>['cut'];
}

/** Why a call was not made or gave no answer. */
export type StepError = Pick<ProviderError, 'code' | 'message' | 'contextTokens'>;
