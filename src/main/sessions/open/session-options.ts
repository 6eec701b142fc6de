import type { Reply } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { AgentConfig, AgentDependencies } from '../../agent/turn/agent-dependencies.ts';
import type { MessageAttachments } from '../attachments/message-attachments.ts';
import type { LearnedPriors } from '../../routing/learned-priors.ts';
import type { Budget, BudgetOptions } from '../../money/budget.ts';
import type { ProjectInstructions } from '../../safety/instructions/project-instructions.ts';
import type { RuleFiles } from '../../safety/rule-files.ts';
import type { SandboxFactory } from '../../sandbox/sandbox-factory.ts';
import type { PreparedWorkspace, WorkspaceRequest } from '../../sandbox/workspace/prepare-workspace.ts';
import type { SessionStore } from '../store/session-store.ts';
import { AppError } from '@shared/errors.ts';
import type { Journal } from '../journal/journal.ts';

const MAX_TASK_CHARACTERS = 1_048_576;

/** Throws `bad-input` for a message that says nothing, or too much. */
export function checkTaskText(text: string): void {
  if (text.trim() === '')
    throw new AppError('bad-input', 'The task is empty.', { hint: 'Describe what you would like done.' });
  if (text.length > MAX_TASK_CHARACTERS) {
    throw new AppError('bad-input', `The task has ${text.length} characters. The limit is ${MAX_TASK_CHARACTERS}.`);
  }
}

/** Keeps the steps of a plan as a person wants them. Rejects with `not-found` for a turn that made none. */
export async function editPlan(
  journal: Pick<Journal, 'state' | 'append'>,
  planTurnId: string,
  steps: readonly string[],
): Promise<void> {
  const turn = journal.state().turns.find(({ id }) => id === planTurnId);
  if (turn?.reason !== 'planned') throw new AppError('not-found', 'This turn did not make a plan.');
  await journal.append({ type: 'plan-edited', planTurnId, steps: [...steps] });
}

/** What the sessions of a core stand on. */
export interface OpenSessionsOptions {
  readonly store: SessionStore;
  readonly settings: () => Settings;
  readonly startSandbox: SandboxFactory;
  readonly prepareWorkspace: (request: WorkspaceRequest, signal: AbortSignal) => Promise<Reply<PreparedWorkspace>>;
  /** What a message brings along. */
  readonly gather: MessageAttachments['gather'];
  readonly homePath: string;
  readonly onNotice: (text: string) => void;
  readonly agent: Pick<
    AgentDependencies,
    'tools' | 'recipes' | 'gatherFacts' | 'modelInfo' | 'provider' | 'meter' | 'delay'
  >;
  /** What was learned of how work goes with each model. */
  readonly priors: LearnedPriors;
  readonly recipeSettings: AgentConfig['recipe'];
  /** Keeps which hosts the commands of each project may reach. */
  readonly saveNetworkProjects: (projects: Settings['network']['projects']) => Promise<Reply<unknown>>;
  /** The money of one session. */
  readonly budget: (session: Pick<BudgetOptions, 'sessionId' | 'projectPath' | 'ask'>) => Budget;
  /** The rules of a person and of the project. */
  readonly rules: RuleFiles['activeRules'];
  readonly instructions: ProjectInstructions;
  /** Takes out secrets whose values are known on this machine. */
  readonly hideKnown: (text: string) => string;
}
