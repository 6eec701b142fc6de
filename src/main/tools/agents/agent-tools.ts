import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { AgentsOffer } from '@shared/session/agent-tree.ts';
import { childAccessSchema } from '@shared/session/agent-tree.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import { forPerson } from '../define.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { errorResult, okResult, wholeText } from '../values/tool-results.ts';
import type { ChildAgents, ChildChange, ChildResult, ParentTurn } from './child-agents.ts';
import { takeChanges } from './take-changes.ts';

export const spawnToolName = 'spawn_agent';

/** What the tools work with: the agents, and the limits and rights of the turn that calls. */
export interface AgentDoor {
  readonly agents: ChildAgents;
  /** Returns the facts of the calling turn, and `text` with what must not leave removed. */
  readonly parent: (
    toolCallId: string,
    text: string,
    signal: AbortSignal,
  ) => Promise<{ readonly parent: ParentTurn; readonly text: string }>;
}

/** Limits are checked where values are used. The descriptions are short, because the schema is in every prompt. */
const spawnInput = z.object({
  task: z.string().describe('all it needs to know'),
  access: childAccessSchema.describe('own-copy: it may change a copy'),
  kind: z.string().optional().describe('default: none'),
  model: z.string().optional().describe('default: the cheapest fit'),
  tools: z.array(z.string()).optional().describe('default: all'),
  maxSteps: z.number().int().min(1).max(200).optional().describe('default: 25'),
  maxUsd: z.number().min(0).max(1_000_000).optional().describe('default: no own limit'),
});

const manageInput = z.object({
  action: z
    .enum(['list', 'inspect', 'message', 'stop', 'take'])
    .meta(forPerson('what to do with them; take: bring its changes here')),
  agent: z.string().optional().describe('such as agent-1'),
  text: z.string().optional().describe('for message'),
  paths: z.array(z.string()).optional().describe('for take; default: all'),
});

/** The tools by which a model starts agents and collects their results. `door` is null in a replay: none runs there. */
export function createAgentTools({ kinds }: AgentsOffer, door: AgentDoor | null): readonly Tool[] {
  return [spawnTool(kinds, door), manageTool(door)];
}

function spawnTool(kinds: AgentsOffer['kinds'], door: AgentDoor | null): Tool {
  const named = kinds.map(({ name, description }) => `${name} (${description})`).join(', ');
  const { kind, ...plain } = spawnInput.shape;
  const input = kinds.length === 0 ? z.object(plain) : z.object({ ...plain, kind: kind.describe(`one of: ${named}`) });
  return {
    name: spawnToolName,
    description: 'Give part of the task to an agent, which sees nothing of this talk. Several run side by side.',
    access: 'read',
    isLong: true,
    isForStrong: true,
    input,
    label: (value) => `agent: ${firstLine(spawnInput.parse(value).task)}`,
    run: (value, context) =>
      withDoor(door, context, async ({ agents, parent }, toolCallId) => {
        const { task, access, ...asked } = spawnInput.parse(value);
        const problem = textProblem(task);
        if (problem !== null) return errorResult(problem);
        const given = await parent(toolCallId, task, context.signal);
        const request = {
          task: given.text,
          access,
          kind: asked.kind ?? null,
          model: asked.model ?? null,
          tools: asked.tools ?? null,
          maxSteps: asked.maxSteps ?? null,
          maxUsd: asked.maxUsd ?? null,
        };
        return resultOf(await agents.spawn(request, given.parent, context.signal));
      }),
  };
}

function manageTool(door: AgentDoor | null): Tool {
  const tool: Tool = {
    name: 'agent_manage',
    description: 'Look at agents, message one to go on, or take its changes here.',
    access: 'read',
    isLong: true,
    isForStrong: true,
    input: manageInput,
    label: (value) => {
      const { action, agent } = manageInput.parse(value);
      return agent === undefined ? `agents: ${action}` : `${agent}: ${action}`;
    },
    run: (value, context) =>
      withDoor(door, context, (open, toolCallId) => manage(open, manageInput.parse(value), { context, toolCallId })),
  };
  // Taking changes counts as writing, so all rules for writing apply.
  const taking: Tool = { ...tool, access: 'write' };
  return { ...tool, as: (value) => (manageInput.safeParse(value).data?.action === 'take' ? taking : tool) };
}

async function manage(
  { agents, parent }: AgentDoor,
  { action, agent, text, paths }: z.infer<typeof manageInput>,
  { context, toolCallId }: { readonly context: ToolContext; readonly toolCallId: string },
): Promise<ToolResult> {
  if (action === 'list') return okResult(listText(agents.list()));
  if (agent === undefined) return errorResult('Say which: "agent", such as "agent-1".');
  switch (action) {
    case 'inspect':
      return okResult(await inspectText(agents, agent));
    case 'stop':
      await agents.stop(agent);
      return okResult(`${agent} was stopped. What it changed in its copy can still be taken.`);
    case 'take':
      return takeChanges(agents, { agent, paths }, context);
    case 'message': {
      const problem = textProblem(text ?? '');
      if (text === undefined || problem !== null) return errorResult(problem ?? '');
      const given = await parent(toolCallId, text, context.signal);
      return resultOf(await agents.message(agent, { text: given.text, parent: given.parent }, context.signal));
    }
    default:
      return action satisfies never;
  }
}

/** Rejections become error results, so that the model reads the reason. */
async function withDoor(
  door: AgentDoor | null,
  { toolCallId }: ToolContext,
  work: (door: AgentDoor, toolCallId: string) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (door === null || toolCallId === undefined) return errorResult('No agents can be started here.');
  try {
    return await work(door, toolCallId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'cancelled') return { status: 'cancelled', output: error.message };
    return { status: error.code === 'refused' ? 'refused' : 'error', output: wholeText(error) };
  }
}

const mostCharacters = 20_000;

function textProblem(text: string): string | null {
  if (text.trim() === '') return 'The text is empty. Say all that the agent needs to know.';
  if (text.length <= mostCharacters) return null;
  return `The text has ${text.length} characters. The limit is ${mostCharacters}: name files instead of quoting them.`;
}

function resultOf(result: ChildResult): ToolResult {
  const { child, text, seconds, steps, tokens, costUsd, changes } = result;
  const spent = `${seconds.toFixed(0)} s, ${steps} ${steps === 1 ? 'step' : 'steps'}, ${tokens} tokens, ${moneyText(costUsd)}`;
  const output = [
    result.reason === 'waiting'
      ? `${child.name} asks you something and has ended (${spent}). Start it again with the answer, or go on without. It asks:`
      : `${child.name} ended: ${result.reason} (${spent}). It says:`,
    text,
    ...(changes.length === 0 ? [] : [`Changed in its copy, and not yet here: ${changesText(changes)}.`]),
    ...(changes.length === 0 ? [] : ['With agent_manage, inspect shows them, and take brings them here.']),
  ].join('\n');
  const { sessionId, name } = child;
  const agent = {
    sessionId,
    name,
    reason: result.reason,
    costUsd,
    tokens,
    steps,
    changed: changes.map(({ path }) => path),
  };
  return okResult(output, { agent });
}

function changesText(changes: readonly ChildChange[]): string {
  const shown = changes.slice(0, 50).map(({ path, added, removed, before, after }) => {
    const how = before === null ? ' (new)' : after === null ? ' (deleted)' : '';
    return `${path}${how}${added === null || removed === null ? '' : ` +${added} -${removed}`}`;
  });
  return `${shown.join(', ')}${changes.length > shown.length ? ` and ${changes.length - shown.length} more` : ''}`;
}

function stateOf({ endedAt, reason }: ChildState): string {
  if (endedAt === null) return 'working';
  return reason === null ? 'ended' : runStatusOf(reason);
}

function listText(children: readonly ChildState[]): string {
  if (children.length === 0) return 'None was started.';
  return children
    .map((child) => {
      const { name, task, costUsd, changedFiles } = child;
      const changed = changedFiles === 0 ? '' : `, ${changedFiles} changed ${changedFiles === 1 ? 'file' : 'files'}`;
      return `${name}: ${stateOf(child)}, ${moneyText(costUsd)}${changed}. ${task}`;
    })
    .join('\n');
}

async function inspectText(agents: ChildAgents, name: string): Promise<string> {
  const child = agents.list().find((one) => one.name === name);
  const diff = await agents.diff(name);
  const said = child === undefined || child.text === '' ? [] : [`It said:\n${child.text}`];
  return [
    ...(child === undefined ? [] : [listText([child])]),
    ...said,
    diff === '' ? 'It changed no files.' : diff,
  ].join('\n');
}
