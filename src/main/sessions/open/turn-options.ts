import type { Policy } from '@shared/routing/routing.ts';
import { routingOf } from '@shared/routing/profile-routing.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { AgentConfig, TurnOptions } from '../../agent/turn/agent-dependencies.ts';

/** The options of a turn: as requested, and from the settings where nothing was requested. */
export function turnOptions(settings: Settings, run: RunOptions, assistant: Assistant | null = null): TurnOptions {
  return {
    strategy: run.strategy,
    plan: run.plan || run.mode === 'plan',
    mode: run.mode ?? (run.plan ? 'plan' : 'auto'),
    ...(assistant === null ? {} : { assistant: withoutChoices(assistant) }),
    ...(run.compact === true ? { compact: true } : {}),
    atCap: run.atCap,
    ...(run.origin === undefined ? {} : { origin: run.origin }),
    check: run.check ?? null,
    ...routed(settings, run.policy ?? settings.policy),
    local: run.local ?? settings.local,
    cloud: run.cloud ?? settings.cloud,
    approve: run.approve ?? settings.approve,
    ...(run.network === undefined ? {} : { network: run.network }),
    ...(run.instructions === undefined ? {} : { instructions: run.instructions }),
    maxSteps: run.maxSteps ?? settings.limits.maxSteps,
    maxMinutes: run.maxMinutes ?? settings.limits.maxMinutes,
    maxTokens: run.maxTokens ?? settings.limits.maxTokens,
    maxUsd: run.maxUsd ?? null,
    seed: run.seed ?? null,
    ...(run.thinking === undefined ? {} : { thinking: run.thinking }),
  };
}

/** Without the model and mode, which are already in the options. */
function withoutChoices(assistant: Assistant): NonNullable<TurnOptions['assistant']> {
  const { name, text, tools, temperature, topP, maxTokens } = assistant;
  return { name, text, tools, temperature, topP, maxTokens };
}

/** A profile is `hybrid` with its own numbers. */
function routed({ routing }: Settings, policy: Policy): Pick<TurnOptions, 'policy' | 'routing'> {
  if (policy === 'local' || policy === 'cloud' || policy === 'hybrid') {
    return { policy, routing: routingOf(routing.profile, routing.numbers) };
  }
  return { policy: 'hybrid', routing: routingOf(policy, {}) };
}

export function agentConfig(settings: Settings, recipe: AgentConfig['recipe']): AgentConfig {
  const commandTimeoutMs = settings.sandbox.commandTimeoutSeconds * 1000;
  return { commandTimeoutMs, toolTimeoutMs: commandTimeoutMs + 30_000, maxWriteBytes: 1024 * 1024, recipe };
}
