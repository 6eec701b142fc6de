import type { ApprovalKind } from '@shared/safety/approval-grants.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { ModelRequest, ProviderError } from '../../models/providers/define.ts';
import type { Decision } from '../../routing/define.ts';
import type { Trajectory } from '../../routing/trajectory/trajectory.ts';
import type { ToolFacts } from '../../tools/define.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import type { Attached } from '../prompt/attached-parts.ts';
import type { Conversation } from '../prompt/conversation.ts';
import type { FileChanges } from '../changes/file-changes.ts';
import type { PromptWarmer } from '../step/keep-warm.ts';
import type { LimitTracker } from './turn-limits.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { ReadLedger } from '../changes/read-ledger.ts';
import type { AgentDependencies, ResolvedModel, TurnOptions } from './agent-dependencies.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { TokenEstimate } from '../prompt/token-estimate.ts';
import type { TurnLog } from './turn-log.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { CriterionResult } from '@shared/session/session-state.ts';

/** `chat`: a question that needs no look at the project, or a conversation that has none. */
export type TurnMode = TaskMode | 'chat';

/** One turn while it runs: what it works with, what it may spend, and the way to stop it. */
export interface Turn {
  readonly id: string;
  readonly task: string;
  /**
   * What came with the messages of this turn; images need a model that sees them. `isQuestion`: none of them asks for
   * work, so no file is changed.
   */
  readonly given: {
    readonly attached: readonly Attached[];
    hasImages: boolean;
    isQuestion: boolean;
    /** What it is taken for; null in a replay of a log from before there was a choice. */
    readonly mode: TurnMode | null;
  };
  readonly dependencies: AgentDependencies;
  readonly options: TurnOptions;
  readonly signal: AbortSignal;
  /** Stops the turn as a person's cancel would; used when a replay meets a recorded cancel. */
  readonly abort: (reason?: 'time-limit') => void;
  readonly log: TurnLog;
  readonly limits: LimitTracker;
  readonly conversation: Conversation;
  readonly changes: FileChanges;
  readonly reads: ReadLedger;
  readonly tokens: TokenEstimate;
  /** How the work goes, by the log: what steps are routed by. */
  readonly trajectory: { readonly now: () => Trajectory };
  /** The number of the session's last step; every model call is a step. */
  readonly steps: { last: number };
  /** What was found at the turn's start; set once. */
  readonly found: { facts: TurnFacts | null };
  /** How often a person has said no in this turn, by what they were asked about. */
  readonly refusals: Map<string, number>;
  /** Of a call that a program made: what the yes to the program says to a question about it; null: nothing. */
  readonly announced?: (about: AnnouncedAbout) => 'allow' | 'deny' | null;
  /** What calls that only read have given, for equal ones; empty in a replay, which takes results from the log. */
  readonly repeated: Map<string, EffectRecord>;
  /** Edits that were made, by the results in the log: what a replay sees, too. */
  readonly progress: {
    okWrites: number;
    /** Commands that ended well. */
    okCommands: number;
    /** The cloud would have gone on where this machine gave up, had there been a network. */
    isCloudUnasked: boolean;
    lastCheck: { readonly okWrites: number; readonly check: CriterionResult } | null;
  };
  readonly toolFacts: () => ToolFacts;
  /** Reads the conversation into the local model while a service works. */
  readonly warm: PromptWarmer;
}

/**
 * What one call to a model needs of whoever makes it: a turn, or a program that asks through the endpoint
 * (`src/main/endpoint`). Everything a call has to pass is in it, so nobody can leave a part out.
 */
export type CallingTurn = Omit<
  Turn,
  'dependencies' | 'conversation' | 'changes' | 'reads' | 'repeated' | 'progress' | 'toolFacts'
> & {
  readonly dependencies: Pick<
    AgentDependencies,
    'journal' | 'effects' | 'budget' | 'fences' | 'approver' | 'meter' | 'delay' | 'sleptMs'
  > & { readonly config: Pick<AgentDependencies['config'], 'conduct'> };
};

/** What an action of a program needs of its turn: the world, the way to the log, and the way to stop. */
export type ActingTurn = Pick<Turn, 'dependencies' | 'log' | 'signal' | 'abort' | 'limits'>;

/** What a question to the person needs of its turn. */
export type AskingTurn = Pick<Turn, 'dependencies' | 'log' | 'signal' | 'options' | 'refusals' | 'announced'>;

/** What a question is about; `hosts` null: about none. */
export interface AnnouncedAbout {
  readonly kind: ApprovalKind;
  readonly hosts: readonly string[] | null;
}

/** What an action on the changes of its turn needs. */
export type ChangingTurn = ActingTurn & Pick<Turn, 'task' | 'changes' | 'progress'>;

/** What `run-step` is asked for: one model call. */
export interface StepRequest {
  readonly purpose: Purpose;
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly request: ModelRequest;
  readonly reason: { readonly code: string; readonly text: string };
  /** Where it was decided that this step runs; absent: it is decided at the door, with this model alone to choose from. */
  readonly decision?: Decision;
  /** Work goes on without it: where a fence or a cap would ask a person, it is not made, and nobody is asked. */
  readonly isOptional?: boolean;
  /** It is not tried again: who asked does that. */
  readonly isOnce?: true;
  /** Whether the request is built from the conversation so far; by default it is in the loop. */
  readonly carriesConversation?: true;
  /** The server of a tool asked for it. */
  readonly askedBy?: EventOf<'model-call-started'>['askedBy'];
  /** Attached texts of which the request holds only the beginning. */
  readonly cut?: EventOf<'model-call-started'>['cut'];
}

/** Why a step was not made or gave no answer. */
export type StepError = Pick<ProviderError, 'code' | 'message'>;
