import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ApprovalKind, ApproveMode } from '@shared/safety/approval-grants.ts';
import type { Effort, ModelInfo } from '@shared/models/model-info.ts';
import type { Routing, TurnPolicy } from '@shared/routing/routing.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import type { RunInstructions } from '@shared/safety/instruction-files.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import type { EaseTurn } from '../../models/machine/ease-strain.ts';
import type { PowerMeter } from '../../models/machine/power-meter.ts';
import type { Budget } from '../../money/budget.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { SessionInstructions } from '../../safety/instructions/session-instructions.ts';
import type { SessionNetwork } from '../../safety/network/session-network.ts';
import type { GatherFacts } from '../../projects/facts/project-facts.ts';
import type { ReadEnvironment } from '../../projects/facts/read-environment.ts';
import type { Provider } from '../../models/providers/define.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Effects, Journal } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import type { WebExchange } from '../../tools/web/web-request.ts';
import type { ForeignTools } from '../../tools/foreign/foreign-tool.ts';
import type { ChildAgents } from '../../tools/agents/child-agents.ts';
import type { Recipe, RecipeSettings } from '../../recipes/define.ts';

/** A model and the provider that answers for it. */
export interface ResolvedModel {
  readonly info: ModelInfo;
  readonly provider: Provider;
}

/** A message that came while a turn was running. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
}

/**
 * Messages that wait for the running turn. A replay answers from the log:
 * a message is there exactly when the next recorded event of the agent is its `message-delivered`.
 */
export interface Inbox {
  /** The next message in order, taken out; null when none waits. Synchronous. */
  take(): QueuedMessage | null;
}

export interface ApprovalQuestion {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  /** What is asked about: a path, a host, a command. */
  readonly subject: string;
  readonly reason: string;
}

/** `nobody`: there is no one to ask (a run without a terminal). The two that last are for questions about hosts. */
export type UserAnswer = 'allow' | 'allow-session' | 'allow-project' | 'deny' | 'nobody';

/** What a person says to a form of a server. */
export type FormReply =
  | { readonly answer: 'allow'; readonly values: FormValues }
  | { readonly answer: 'deny' | 'nobody' };

/** Who answers questions. Rejects on abort. */
export interface Approver {
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Absent: there is no one to fill in a form. */
  askForm?(approvalId: string, form: ServerForm, signal: AbortSignal): Promise<FormReply>;
  /** How long the person has been waited for so far, a wait that goes on with it; absent: nobody is, as in a replay. */
  waitedMs?(): number;
}

export interface AgentConfig {
  readonly commandTimeoutMs: number;
  /** A tool that has not ended after this is given up (a command's own timeout is shorter). */
  readonly toolTimeoutMs: number;
  readonly maxWriteBytes: number;
  /**
   * Which conduct the agent follows, so that a log of an older one is played by its own. Absent: 1. From 2 on reads run side
   * by side, what leans on a failed edit is left out, and a search for a repair begins without a model. From 3 on
   * whoever goes on after a search is told the failing tests and more source, also after a doubted change. From 4 on a
   * search for a repair that finds nothing gives up within two minutes. From 5 on a program whose own tests ran and pass does
   * not call its work untested, and an order in the midst of a question makes it work.
   */
  readonly conduct?: number | undefined;
  readonly recipe: RecipeSettings;
}

/** Everything one session of the agent works with; `compose.ts` puts it together, a test with fakes. */
export interface AgentDependencies {
  readonly journal: Journal;
  readonly effects: Effects;
  readonly sandbox: Sandbox;
  /** What is known of a model; null: no such model is set up. Asked once for each turn, as an effect. */
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  /** The provider that answers for a model. Null: there is none of that name. */
  readonly provider: (providerId: string) => Provider | null;
  readonly tools: readonly Tool[];
  /** Tools of others; absent: there are none, as in a replay. */
  readonly foreign?: ForeignTools;
  /** The way to the web; absent: there is none, as in a replay. `offered`: the tools for it that are switched on. */
  readonly web?: { readonly offered: () => readonly string[]; readonly exchange: WebExchange };
  /** Whether models may run programs that call tools; absent: they may not, as in a replay. */
  readonly programs?: () => 'auto' | 'on' | 'off';
  /** The model that looks at programs before a person is asked; absent or null: none does. */
  readonly programReviewer?: () => string | null;
  /** Starts agents; absent: this one starts none, as in a replay. */
  readonly agents?: ChildAgents;
  readonly recipes: readonly Recipe[];
  readonly gatherFacts: GatherFacts;
  /** What commands find on this machine, a line or two for a model; absent: nothing is said. */
  readonly readEnvironment?: ReadEnvironment;
  readonly approver: Approver;
  readonly network: SessionNetwork;
  readonly instructions: SessionInstructions;
  readonly budget: Budget;
  readonly fences: SessionFences;
  /** A person's rules on where steps run, for the project of this session. Asked once for each turn. */
  readonly routeRules: () => Promise<{ readonly rules: readonly RouteRule[]; readonly problems: readonly string[] }>;
  readonly inbox: Inbox;
  /** Meters the electricity of local calls; absent: nobody does, as in a replay. */
  readonly meter?: PowerMeter;
  /** What a turn does otherwise while this machine is under strain; absent: nothing, as in a replay. */
  readonly ease?: EaseTurn;
  /** How long this machine has slept so far; absent: nobody knows, as in a replay. */
  readonly sleptMs?: () => number;
  /** Waits; rejects with the signal's reason on abort. A replay does not wait. */
  readonly delay: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly config: AgentConfig;
}

/** What a turn is asked for, with the defaults of the settings filled in. */
export interface TurnOptions extends Pick<RunOptions, 'strategy' | 'plan' | 'atCap' | 'network' | 'origin'> {
  readonly check: string | null;
  /** What the message is to be taken for; `auto`: its words say it. Absent: a log from before there was a choice. */
  readonly mode?: TaskMode | 'auto' | undefined;
  /** Absent: a person is asked about a project's instructions that nobody has approved. */
  readonly instructions?: RunInstructions | undefined;
  /** The conversation so far is summed up before the first step. Absent: only where it must be. */
  readonly compact?: boolean | undefined;
  /** How it is to answer; absent: as usual. All of it is in the log, so a replay needs no file. */
  readonly assistant?: Omit<Assistant, 'model' | 'mode'> | undefined;
  /** The tools that it may use; absent: all. */
  readonly tools?: readonly string[] | undefined;
  readonly policy: TurnPolicy;
  /** The numbers by which steps are routed one by one. */
  readonly routing: Routing;
  readonly local: string;
  readonly cloud: string | null;
  readonly approve: ApproveMode;
  readonly maxSteps: number;
  readonly maxMinutes: number;
  readonly maxTokens: number;
  readonly maxUsd: number | null;
  readonly seed: number | null;
  /** How hard models think that know this step; absent: as is set for each. */
  readonly thinking?: Effort | undefined;
}

/** A model with who answers for it; null: there is no such model, or nobody answers for it. */
export function resolveModel(
  { provider: find }: Pick<AgentDependencies, 'provider'>,
  info: ModelInfo | null | undefined,
): ResolvedModel | null {
  const provider = info === undefined || info === null ? null : find(info.provider);
  return info === undefined || info === null || provider === null ? null : { info, provider };
}
