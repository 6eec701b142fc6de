import type { Settings } from '@shared/settings/settings.ts';
import type { AgentConfig } from '../../agent/turn/agent-dependencies.ts';

export function agentConfig(settings: Settings, recipe: AgentConfig['recipe']): AgentConfig {
  const commandTimeoutMs = settings.sandbox.commandTimeoutSeconds * 1000;
  return { commandTimeoutMs, toolTimeoutMs: commandTimeoutMs + 30_000, maxWriteBytes: 1024 * 1024, recipe };
}
