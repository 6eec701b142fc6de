import type { SessionKnowledge } from '../../documents/knowledge/project-knowledge.ts';
import type { OpenChosenFolders } from '../../documents/search/chosen-folders.ts';
import type { SearchDocuments } from '../../documents/search/search-documents.ts';
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
import type { LanguageServersOf } from '../../language-servers/language-servers.ts';
import type { FindParts } from '../../projects/facts/project-parts.ts';
import type { ProjectMemory } from '../../memory/project-memory.ts';
import type { SessionSkills } from '../../skills/session-skills.ts';
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
import type { ReadRepository } from '../../git/read-for-model.ts';
import type { ProjectSymbols } from '../../symbols/project-symbols.ts';
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

/** The models that the person has set up. */
export interface SessionModels {
  /** What is known of a model; null: no such model is set up. Called once per turn, as an effect. */
  readonly info: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  /** A server said that a model's context is smaller than known. */
  readonly noteWindow: (modelId: string, tokens: number) => void;
  /** The provider with this id; null: there is none. */
  readonly provider: (providerId: string) => LanguageModel | null;
}

/** What models may call. */
export interface SessionTools {
  readonly builtIn: readonly Tool[];
  /** Tools of servers and of files; null: there are none. */
  readonly connected: ConnectedTools | null;
  /** Finds parts of a project's documents. Absent: there is no index. */
  readonly searchDocuments?: SearchDocuments;
  /** Access to the web; null: there is none. `offered`: the web tools that are switched on. */
  readonly web: { readonly offered: () => readonly string[]; readonly exchange: WebExchange } | null;
  /** Starts child agents; null: none may be started. */
  readonly agents: ChildAgents | null;
  /** Whether models may run programs that call tools. */
  readonly programs: () => 'auto' | 'on' | 'off';
  /** The model that reviews programs before the user is asked; null: none. */
  readonly programReviewer: () => string | null;
  /** Whether a talk may compute. */
  readonly computes: () => boolean;
  /** Where it does, away from the files of a project. Absent: in the folder of its session. */
  readonly computing?: Sandbox;
  /** The version of Dewpoint that runs, for the programs that models write with it. */
  readonly appVersion: string;
}

/** The project's files, what is known of them, and what the user has approved and ruled for them. */
export interface SessionProject {
  readonly gatherFacts: GatherFacts;
  /** What the project has that some tools need. */
  readonly findParts: FindParts;
  /** What language servers in a sandbox know of the project there. */
  readonly languageServers: LanguageServersOf;
  /** A line or two for the model about the programs that commands find here; empty: nothing is said. */
  readonly readEnvironment: ReadEnvironment;
  /** Where the files are kept while something may change them; null: nowhere. */
  readonly baselineFile: BaselineFile | null;
  readonly instructions: SessionInstructions;
  readonly skills: SessionSkills;
  /** What the user wants agents to know in later tasks. Used in effects only. */
  readonly memory: ProjectMemory;
  /** The user's routing rules for the project. Called once per turn. */
  readonly routeRules: () => Promise<RouteRules>;
  /** The names in its sources; null: there is no project. */
  readonly symbols: ProjectSymbols | null;
  /** Its git repository, as models may see it; null: there is no project. */
  readonly repository: ReadRepository | null;
  /** Opens the folders outside it that the person chose to be searched. Absent: there is no project. */
  readonly openChosenFolders?: OpenChosenFolders;
  /** What the person keeps at hand in it. Absent: there is no project. */
  readonly knowledge?: SessionKnowledge;
  /** What paths of the workspace lead to, for the log. */
  readonly lookAtFiles: LookAtFiles;
}

/** The machine that Dewpoint runs on: its energy, its strain, its sleep and its clock for waiting. */
export interface SessionMachine {
  /** Measures the energy of local calls; null: it is not measured. */
  readonly meter: PowerMeter | null;
  /** What a turn does differently while this machine is under strain; null: nothing. */
  readonly ease: EaseTurn;
  /** How long this machine has slept so far. */
  readonly sleptMs: () => number;
  /** Waits; rejects with the signal's reason on abort. A replay does not wait. */
  readonly delay: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Everything one session of the agent works with. `compose.ts` builds it; a test uses fakes. */
export interface AgentDependencies {
  readonly journal: Journal;
  readonly effects: Effects;
  readonly sandbox: Sandbox;
  readonly models: SessionModels;
  readonly tools: SessionTools;
  readonly recipes: readonly Recipe[];
  readonly project: SessionProject;
  readonly approver: Approver;
  readonly network: SessionNetwork;
  readonly budget: Budget;
  readonly fences: SessionFences;
  readonly inbox: Inbox;
  readonly machine: SessionMachine;
  readonly config: AgentConfig;
}

/** A model with its provider; null: the model or its provider does not exist. */
export function resolveModel(
  { models }: Pick<AgentDependencies, 'models'>,
  info: ModelInfo | null | undefined,
): ResolvedModel | null {
  const provider = info === undefined || info === null ? null : models.provider(info.provider);
  return info === undefined || info === null || provider === null ? null : { info, provider };
}
