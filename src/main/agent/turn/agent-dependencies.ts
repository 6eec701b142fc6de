import type { BaselineFile } from '../changes/baseline-file.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { EaseTurn } from '../../models/machine/ease-strain.ts';
import type { PowerMeter } from '../../models/machine/power-meter.ts';
import type { Budget } from '../../money/budget.ts';
import type { Approver } from '../../safety/approvals/approver.ts';
import type { LookAtFiles } from '../../safety/file-look.ts';
import type { RouteRules } from '../../safety/rules/session-rules.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { SessionInstructions } from '../../safety/instructions/session-instructions.ts';
import type { SessionNetwork } from '../../safety/network/session-network.ts';
import type { GatherFacts } from '../../projects/facts/project-facts.ts';
import type { ReadEnvironment } from '../../projects/facts/read-environment.ts';
import type { LanguageModel } from '../../models/providers/define.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { TurnChoice } from '../../settings/turn-options.ts';
import type { QueuedMessage } from '../../sessions/journal/queued-message.ts';
import type { Effects, Journal } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import type { WebExchange } from '../../tools/web/web-request.ts';
import type { ConnectedTools } from '../../tools/connected/connected-tool.ts';
import type { ChildAgents } from '../../tools/agents/child-agents.ts';
import type { Recipe, RecipeSettings } from '../../recipes/define.ts';

/** A model and the provider that answers for it. */
export interface ResolvedModel {
  readonly info: ModelInfo;
  readonly provider: LanguageModel;
}

/**
 * Messages that wait for the running turn. A replay answers from the log:
 * a message is there exactly when the next recorded event of the agent is its `message-delivered`, and a choice exactly
 * when it is the action `take_choice`.
 */
export interface Inbox {
  /** The next message in order, taken out; null when none waits. Synchronous. */
  take(): QueuedMessage | null;
  /** What the person has chosen anew since the last look; null: nothing. Synchronous. */
  choice(): TurnChoice | null;
}

export interface AgentConfig {
  readonly commandTimeoutMs: number;
  /** A tool that has not ended by then is given up. The timeout of a command is shorter. */
  readonly toolTimeoutMs: number;
  readonly maxWriteBytes: number;
  readonly recipe: RecipeSettings;
}

/** Everything one session of the agent works with. `compose.ts` builds it; a test uses fakes. */
export interface AgentDependencies {
  readonly journal: Journal;
  readonly effects: Effects;
  readonly sandbox: Sandbox;
  /** Where the files are kept while something may change them; absent: nowhere, as in a replay. */
  readonly baselineFile?: BaselineFile;
  /** What is known of a model; null: no such model is set up. Called once per turn, as an effect. */
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  /** A server said that a model's context is smaller than known. */
  readonly noteWindow: (modelId: string, tokens: number) => void;
  /** The provider with this id; null: there is none. */
  readonly provider: (providerId: string) => LanguageModel | null;
  readonly tools: readonly Tool[];
  /** Tools that are not built in; absent: none, as in a replay. */
  readonly connected?: ConnectedTools;
  /** Access to the web; absent: none, as in a replay. `offered`: the web tools that are switched on. */
  readonly web?: { readonly offered: () => readonly string[]; readonly exchange: WebExchange };
  /** The version of Dewpoint that runs, for what models write with it. */
  readonly appVersion: string;
  /** Whether models may run programs that call tools. */
  readonly programs: () => 'auto' | 'on' | 'off';
  /** The model that reviews programs before the user is asked; null: none. */
  readonly programReviewer: () => string | null;
  /** Starts child agents; absent: none, as in a replay. */
  readonly agents?: ChildAgents;
  readonly recipes: readonly Recipe[];
  readonly gatherFacts: GatherFacts;
  /** A line or two for the model about the programs that commands find here; absent: nothing is said. */
  readonly readEnvironment?: ReadEnvironment;
  readonly approver: Approver;
  readonly network: SessionNetwork;
  readonly instructions: SessionInstructions;
  readonly budget: Budget;
  readonly fences: SessionFences;
  /** What paths of the workspace lead to, for the log; absent: nobody looks, as in a replay. */
  readonly lookAtFiles?: LookAtFiles;
  /** The user's routing rules for the project of this session. Called once per turn. */
  readonly routeRules: () => Promise<RouteRules>;
  readonly inbox: Inbox;
  /** Measures the energy of local calls; absent: not measured, as in a replay. */
  readonly meter?: PowerMeter;
  /** What a turn does differently while this machine is under strain; null: nothing. */
  readonly ease: EaseTurn;
  /** How long this machine has slept so far. */
  readonly sleptMs: () => number;
  /** Waits; rejects with the signal's reason on abort. A replay does not wait. */
  readonly delay: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly config: AgentConfig;
}

/** A model with its provider; null: the model or its provider does not exist. */
export function resolveModel(
  { provider: find }: Pick<AgentDependencies, 'provider'>,
  info: ModelInfo | null | undefined,
): ResolvedModel | null {
  const provider = info === undefined || info === null ? null : find(info.provider);
  return info === undefined || info === null || provider === null ? null : { info, provider };
}
