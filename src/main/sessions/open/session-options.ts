import type { SessionKnowledge } from '../../documents/knowledge/project-knowledge.ts';
import type { OpenChosenFolders } from '../../documents/search/chosen-folders.ts';
import type { Reply } from '@shared/errors.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type {
  AgentConfig,
  AgentDependencies,
  SessionProject,
  SessionTools,
} from '../../agent/turn/agent-dependencies.ts';
import type { MessageAttachments } from '../attachments/message-attachments.ts';
import type { RouteRecord } from '../../routing/record/route-record.ts';
import type { Budget, BudgetOptions } from '../../money/budget.ts';
import type { OwnInstructions } from '@shared/projects/project-page.ts';
import type { ProjectInstructions } from '../../safety/instructions/project-instructions.ts';
import type { SessionFencesOptions } from '../../safety/session-fences.ts';
import type { MemoryFiles } from '../../memory/memory-files.ts';
import type { ProjectSetup } from '../../projects/configure-project.ts';
import type { HomeSkills } from '../../skills/home-skills.ts';
import type { RunGit } from '../../git/process/run-apart.ts';
import type { RuleFiles } from '../../safety/rule-files.ts';
import type { SandboxFactory } from '../../sandbox/sandbox-factory.ts';
import type { PreparedWorkspace, WorkspaceRequest } from '../../sandbox/workspace/prepare-workspace.ts';
import type { ProjectSymbols, ProjectSymbolsOptions } from '../../symbols/project-symbols.ts';
import type { ConnectedTools } from '../../tools/connected/connected-tool.ts';
import type { AgentFiles } from '../../settings/agent-files.ts';
import type { SessionStore } from '../store/session-store.ts';

/** What the user wrote for the sessions, and approved of what others wrote. */
export interface UserFiles {
  /** An assistant of the home, by name. Rejects with `not-found` or `bad-input`. */
  readonly assistant: (name: string) => Promise<Assistant>;
  /** The kinds of agents that can be started in a project. */
  readonly agentKinds: AgentFiles['definitions'];
  /** The active rules of the user and of the project. */
  readonly rules: RuleFiles['activeRules'];
  readonly instructions: ProjectInstructions;
  readonly skills: HomeSkills;
  readonly memory: MemoryFiles;
  /** The user's own instructions for a project, by its id. */
  readonly projectInstructions: (id: string) => Promise<OwnInstructions>;
  /** The settings of single projects. */
  readonly setup: ProjectSetup;
}

/** Makes what a session works in: its folder, and its sandbox. */
export interface SessionWorkspaces {
  /** Works with their git repositories. */
  readonly runGit: RunGit;
  readonly prepare: (request: WorkspaceRequest, signal: AbortSignal) => Promise<Reply<PreparedWorkspace>>;
  readonly startSandbox: SandboxFactory;
  readonly onProgress: (text: string) => void;
}

/** Everything that the sessions of a core depend on. */
export interface OpenSessionsOptions {
  readonly homePath: string;
  readonly store: SessionStore;
  /** The deleted sessions, because they still count in their trees. */
  readonly bin: Pick<SessionStore, 'members'>;
  readonly settings: () => Settings;
  /** Saves which hosts the commands of each project may reach. */
  readonly saveNetworkProjects: (projects: Settings['network']['projects']) => Promise<Reply<unknown>>;
  readonly userFiles: UserFiles;
  /** What is hidden from models: secrets that are known on this machine, and values that the user named. */
  readonly secrets: Pick<SessionFencesOptions, 'hideKnown' | 'hidden'>;
  readonly workspaces: SessionWorkspaces;
  /** Gathers what comes with a message. */
  readonly gather: MessageAttachments['gather'];
  readonly agent: Pick<AgentDependencies, 'models' | 'recipes' | 'machine'> & {
    readonly tools: Pick<SessionTools, 'builtIn' | 'web' | 'appVersion'>;
    readonly project: Pick<SessionProject, 'gatherFacts' | 'findParts' | 'readEnvironment' | 'languageServers'> & {
      /** Opens the folders outside a project that the person chose to be searched with it. */
      readonly chosenFolders: (projectPath: string) => OpenChosenFolders;
      /** What the person keeps at hand in a project. */
      readonly knowledgeOf: (projectPath: string) => SessionKnowledge;
    };
  };
  /** The names in the sources of a session's workspace. */
  readonly symbols: (of: Omit<ProjectSymbolsOptions, 'client'>) => ProjectSymbols;
  readonly recipeSettings: AgentConfig['recipe'];
  /** The connected tools that are on in a project. */
  readonly connected: (project: string | null, folder: string) => ConnectedTools;
  /** What earlier work showed about each model. */
  readonly record: Pick<RouteRecord, 'given' | 'learn'>;
  /** The budget of one session. */
  readonly budget: (session: Pick<BudgetOptions, 'sessionId' | 'project' | 'ask'>) => Budget;
}
