import { AppError } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { AgentDefinition } from '@shared/session/agent-definitions.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { ChildAccess } from '@shared/session/agent-tree.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { ParentTurn, SpawnRequest } from '../../tools/agents/child-agents.ts';

/** What a child is to be, after its definition and its parent have said their part. */
export interface ChildPlan {
  readonly access: ChildAccess;
  readonly run: RunOptions;
  readonly assistant: Assistant | null;
  readonly tools: readonly string[] | null;
  /** The local model that it may ask; null: it asks none. */
  readonly local: string | null;
}

type Asked = Omit<SpawnRequest, 'task'>;

const usualSteps = 25;
/** With fewer tokens nothing comes of it. */
const leastTokens = 2_000;

/**
 * What a child may do is at most what its parent may: its policy, approvals and network, and a share of the time and the
 * tokens that are left. A definition and a call can only ask for less. Rejects with what cannot be.
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
    // A program asks for one decision at a time; what is only read is read by the model itself.
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
    tools: narrower(definition?.tools ?? null, asked.tools),
    local: run.policy === 'cloud' ? null : (run.local ?? settings.local),
  };
}

/** Where it runs: never where its parent may not, and here alone where its task is not to leave. */
async function modelsOf(
  model: string | null,
  { policy, local, cloud, fenced }: ParentTurn,
  modelInfo: (id: string) => Promise<ModelInfo | null>,
): Promise<Pick<RunOptions, 'policy' | 'local' | 'cloud'>> {
  const both = { local, ...(cloud === null ? {} : { cloud }) };
  const mustStay = fenced.length > 0;
  const stays = `The task was built from something that may not leave this machine (${fenced.map(({ rule }) => rule).join(', ')}).`;
  if (mustStay && policy === 'cloud') throw new AppError('refused', stays);
  // The cheapest that can: which steps need more is decided step by step.
  if (model === null) return { ...both, policy: mustStay ? 'local' : policy === 'hybrid' ? 'economy' : policy };
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
