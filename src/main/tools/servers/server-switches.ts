import type { ProjectTools, ServerDefinition, ToolServerSettings } from '@shared/tools/server-definition.ts';
import { projectWord } from '@shared/tools/server-definition.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** A hash of everything that decides what is started or reached. */
export function hashOfServer(name: string, definition: ServerDefinition): string {
  // Left out if empty, because older approvals were made before there were hosts.
  const parts = Object.entries(definition).filter(
    ([key, value]) => key !== 'hosts' || (Array.isArray(value) && value.length > 0),
  );
  return sha256Of(JSON.stringify([name, parts.sort(([left], [right]) => (left < right ? -1 : 1))]));
}

export function isApproved(name: string, { definition, approved }: ToolServerSettings): boolean {
  return approved === hashOfServer(name, definition);
}

export function isServerOn({ isOn }: Pick<ToolServerSettings, 'isOn'>, own: ProjectTools, name: string): boolean {
  return projectWord(own, name) ?? isOn;
}

export function isToolOn(
  { off }: Pick<ToolServerSettings, 'off'>,
  own: ProjectTools,
  name: string,
  tool: string,
): boolean {
  return projectWord(own, name, tool) ?? !off.includes(tool);
}
