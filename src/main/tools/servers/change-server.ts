import { AppError } from '@shared/errors.ts';
import type { ServerDefinition, ToolServerSettings } from '@shared/tools/server-definition.ts';
import type { ServerSignIns } from '../sign-in/server-sign-ins.ts';
import { takenSecrets } from './server-report.ts';
import { hashOfServer } from './server-switches.ts';
import type { ToolServers } from './tool-servers.ts';

interface ChangeServerOptions {
  readonly save: (name: string, server: ToolServerSettings) => Promise<void>;
  readonly running: Pick<ToolServers, 'forget'>;
  readonly signIns: Pick<ServerSignIns, 'signOut'>;
  /** Does nothing for a secret that was never set. */
  readonly dropSecret: (server: string, variable: string) => Promise<void>;
}

interface Change {
  readonly name: string;
  readonly before: ToolServerSettings;
  readonly definition: ServerDefinition;
}

/** Saves another definition. It is not approved, unless it is the same. */
export async function changeServer(
  options: ChangeServerOptions,
  { name, before, definition }: Change,
  signal: AbortSignal,
): Promise<void> {
  if (before.definition.kind === 'composio' || definition.kind === 'composio')
    throw new AppError('bad-input', `${name} was not changed. Remove it, and add it again.`);
  if (hashOfServer(name, before.definition) === hashOfServer(name, definition)) return;
  // What was kept for one address is never sent to another.
  const isMoved = originOf(before.definition) !== originOf(definition);
  if (isMoved) await options.signIns.signOut(name, signal);
  const taken = isMoved ? [] : takenSecrets(definition);
  await options.save(name, { ...before, definition, approved: null });
  await options.running.forget(name);
  for (const one of takenSecrets(before.definition)) if (!taken.includes(one)) await options.dropSecret(name, one);
}

/** Null: a program. */
function originOf(definition: ServerDefinition): string | null {
  return definition.kind === 'stdio' ? null : new URL(definition.url).origin;
}
