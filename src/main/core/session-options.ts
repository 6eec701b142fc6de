import type { Reply } from '@shared/errors.ts';
import type { Settings } from '@shared/settings.ts';
import type { AgentConfig, AgentServices } from '../agent/services.ts';
import type { CoreAttachments } from './attachments.ts';
import type { KeptPriors } from './priors.ts';
import type { Budget, BudgetOptions } from '../money/budget.ts';
import type { ProjectInstructions } from '../policy/project-instructions.ts';
import type { RuleFiles } from '../policy/rule-files.ts';
import type { SandboxFactory } from '../sandbox/sandbox-factory.ts';
import type { PreparedWorkspace, WorkspaceRequest } from '../sandbox/workspace.ts';
import type { SessionStore } from '../sessions/session-store.ts';

/** What the sessions of a core stand on. */
export interface CoreSessionsOptions {
  readonly store: SessionStore;
  readonly settings: () => Settings;
  readonly startSandbox: SandboxFactory;
  readonly prepareWorkspace: (request: WorkspaceRequest, signal: AbortSignal) => Promise<Reply<PreparedWorkspace>>;
  /** What a message brings along. */
  readonly gather: CoreAttachments['gather'];
  readonly homePath: string;
  readonly onNotice: (text: string) => void;
  readonly agent: Pick<
    AgentServices,
    'tools' | 'recipes' | 'gatherFacts' | 'modelInfo' | 'provider' | 'meter' | 'delay'
  >;
  /** What was learned of how work goes with each model. */
  readonly priors: KeptPriors;
  readonly recipeSettings: AgentConfig['recipe'];
  /** Keeps which hosts the commands of each project may reach. */
  readonly saveNetworkProjects: (projects: Settings['network']['projects']) => Promise<Reply<unknown>>;
  /** The money of one session. */
  readonly budget: (session: Pick<BudgetOptions, 'sessionId' | 'projectPath' | 'ask'>) => Budget;
  /** The rules of a person and of the project. */
  readonly rules: RuleFiles['holding'];
  readonly instructions: ProjectInstructions;
  /** Takes out secrets whose values are known on this machine. */
  readonly hideKnown: (text: string) => string;
}
