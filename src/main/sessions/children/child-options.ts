import { AppError } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { AgentDefinition } from '../../settings/agent-definitions.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { ChildAccess } from '@shared/session/agent-tree.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { ParentTurn, SpawnRequest } from '../../tools/agents/child-agents.ts';

/** The options of a child, after its definition and its parent were applied. */
export interface ChildPlan {
  readonly access: ChildAccess;
  readonly run: RunOptions;
  readonly assistant: Assistant | null;
  readonly tools: readonly string[] | null;
  /** The local model that it may use. Null: none. */
  readonly local: string | null;
}

type Asked = Omit<SpawnRequest, 'task'>;

const usualSteps = 25;
/** With fewer tokens a child cannot achieve anything. */
const leastTokens = 2_000;

/**
 * A child may do at most what its parent may: same policy, approvals and network, and a share of the remaining time and
 * tokens. A definition or a call can only ask for less. Rejects with the reason if the request is impossible.
 */
export async function planChild(
  asked: Asked,
  parent: ParentTurn,
  {
    settings,
    definition,
    modelInfo,
  }: {
    readonly settings: Settings;
    readonly definition: AgentDefinition | null;
    readonly modelInfo: (id: string) => Promise<ModelInfo | null>;
  },
): Promise<ChildPlan> {
  const access = definition?.mode === 'read-only' ? 'read-only' : asked.access;
  const { limits, agents } = settings;
  const maxTokens = Math.min(limits.maxTokens, Math.floor(parent.tokensLeft / agents.atOnce));
  if (maxTokens < leastTokens) throw new AppError('refused', 'Too few tokens are left in this turn to start an agent.');
  const maxMinutes = Math.min(limits.maxMinutes, parent.millisecondsLeft / 60_000);
  if (maxMinutes <= 0) throw new AppError('refused', 'No time is left in this turn to start an agent.');
  const models = await modelsOf(asked.model ?? definition?.model ?? null, parent, modelInfo);
  const isReading = access === 'read-only';
  const run = runOptionsSchema.parse({
    ...models,
    // Recipes make changes. For reading only, the model works in the loop.
    strategy: isReading ? 'loop' : 'auto',
    mode: isReading ? 'ask' : 'work',
    maxSteps: Math.min(asked.maxSteps ?? usualSteps, limits.maxSteps),
    maxMinutes,
    maxTokens,
    ...(asked.maxUsd === null ? {} : { maxUsd: asked.maxUsd }),
    atCap: parent.atCap === 'local' ? 'local' : 'stop',
    approve: parent.approve,
    ...(parent.network === undefined ? {} : { network: parent.network }),
    ...(parent.instructions === undefined ? {} : { instructions: parent.instructions }),
    interactive: true,
  });
  const { name, text } = definition ?? { name: '', text: '' };
  return {
    access,
    run,
    assistant: definition === null ? null : { name, text },
    tools: narrower(narrower(definition?.tools ?? null, asked.tools), parent.tools ?? null),
    local: run.policy === 'cloud' ? null : (run.local ?? settings.local),
  };
}

/** Where the child runs: never where its parent may not, and only locally if its task must not leave this machine. */
async function modelsOf(
  model: string | null,
  { policy, local, cloud, modelOrder, fenced }: ParentTurn,
  modelInfo: (id: string) => Promise<ModelInfo | null>,
): Promise<Pick<RunOptions, 'policy' | 'local' | 'cloud' | 'modelOrder'>> {
  const both = { local, ...(cloud === null ? {} : { cloud }) };
  const mustStay = fenced.length > 0;
  const stays = `The task was built from something that may not leave this machine (${fenced.map(({ rule }) => rule).join(', ')}).`;
  if (mustStay && policy === 'cloud') throw new AppError('refused', stays);
  // The cheapest that can do it: the router decides step by step which steps need more.
  if (model === null)
    return { ...both, modelOrder, policy: mustStay ? 'local' : policy === 'hybrid' ? 'economy' : policy };
  const info = await modelInfo(model);
  if (info === null) {
    throw new AppError('missing-model', `The model ${model} was not found.`, {
      hint: 'Leave "model" out, or name another.',
    });
  }
  const where = info.where === 'cloud' ? 'runs in the cloud' : 'runs on this machine';
  if (policy !== 'hybrid' && policy !== info.where) {
    throw new AppError('refused', `${model} ${where}, which the policy "${policy}" does not allow.`);
  }
  if (mustStay && info.where === 'cloud') throw new AppError('refused', `${model} ${where}. ${stays}`);
  return { ...both, policy: info.where, [info.where]: model };
}

function narrower(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((name) => other.includes(name));
}
