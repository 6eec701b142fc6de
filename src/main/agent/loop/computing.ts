import type { SandboxTier } from '@shared/events/sandbox-events.ts';
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

/** What runs apart, on a server or in a container of its own, needs no container of the talk. */
export function tierOfCall(turn: Turn, tool: Tool): SandboxTier {
  const isApart = tool.connected !== undefined && tool.access === 'network';
  return turn.given.mode === 'chat' && isApart ? 'container' : sandboxOfCall(turn, tool).tier;
}

/**
 * Starts the container of a talk for a call that runs something in it, before the time of the call. Returns what is
 * missing, as told to the person; or null.
 */
export async function prepareToRun(turn: Turn, tool: Tool): Promise<string | null> {
  const isComputing = tool.needs === 'computing';
  if (!isComputing && (turn.given.mode !== 'chat' || tool.access !== 'execute')) return null;
  const sandbox = sandboxOfCall(turn, tool);
  await sandbox.prepare(turn.signal);
  const { missing } = sandbox.description;
  if (sandbox.tier !== 'read-only' || missing === undefined) return null;
  const what = isComputing ? 'Nothing was computed.' : `${tool.name} did not run.`;
  const text = `${what} ${missing.message} ${missing.hint ?? ''}`.trim();
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'missing-sandbox', text });
  return text;
}
