import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Tool } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';

/** Whether the person lets talks and questions compute, and this is one. */
export function mayCompute({ given, dependencies }: Pick<Turn, 'given' | 'dependencies'>): boolean {
  return (given.mode === 'chat' || given.mode === 'ask') && dependencies.tools.computes();
}

/** Where a call runs. Inside a project, it computes away from its files. */
export function sandboxOfCall({ dependencies }: Pick<Turn, 'dependencies'>, { needs }: Pick<Tool, 'needs'>): Sandbox {
  const { sandbox, tools } = dependencies;
  return needs === 'computing' ? (tools.computing ?? sandbox) : sandbox;
}

/** Starts the container of a talk, before the time of the call. Returns what is missing, as told to the person; or null. */
export async function prepareToCompute(turn: Turn, tool: Tool): Promise<string | null> {
  if (tool.needs !== 'computing') return null;
  const sandbox = sandboxOfCall(turn, tool);
  await sandbox.prepare(turn.signal);
  const { missing } = sandbox.description;
  if (sandbox.tier !== 'read-only' || missing === undefined) return null;
  const text = `Nothing was computed. ${missing.message} ${missing.hint ?? ''}`.trim();
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'missing-sandbox', text });
  return text;
}
