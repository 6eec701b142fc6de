import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { AgentsOffer } from '@shared/session/child-agents.ts';
import { childAccessSchema } from '@shared/session/child-agents.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import type { ChildState } from '@shared/session/session-state.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { forFull } from '../define.ts';
import { errorResult, okResult } from '../values/tool-results.ts';
import type { ChildAgents, ChildChange, ChildResult, ParentTurn } from './child-agents.ts';
import { takeChanges } from './take-changes.ts';

export const spawnToolName = 'spawn_agent';

/** What the tools reach: the agents, and what the turn that calls lays on them. */
export interface AgentDoor {
  readonly agents: ChildAgents;
  /** `text`: what the agent is told; it comes back as it may be told. */
  readonly parent: (
    toolCallId: string,
    text: string,
    signal: AbortSignal,
  ) => Promise<{ readonly parent: ParentTurn; readonly text: string }>;
}

const spawnInput = z.object({
  task: z.string().min(1).max(20_000).describe('all that it needs to know'),
  access: childAccessSchema.describe('own-copy: it may change files and run commands, in a copy'),
  kind: z.string().max(40).optional().meta(forFull),
  model: z.string().max(300).optional().describe('PROVIDER/MODEL; else the cheapest that can'),
  tools: z.array(z.string().max(100)).max(50).optional().describe('only these'),
  maxSteps: z.number().int().min(1).max(200).optional(),
  maxMinutes: z.number().positive().max(240).optional(),
  maxUsd: z.number().positive().optional(),
});

const manageInput = z.object({
  action: z.enum(['list', 'inspect', 'message', 'stop']),
  agent: z.string().max(40).optional().describe('its name, such as agent-1'),
  text: z.string().min(1).max(20_000).optional().describe('for message: what it is to do next'),
});

const takeInput = z.object({
  agent: z.string().max(40),
  paths: z.array(z.string().max(1000)).max(500).optional().describe('without them, all'),
});

/** The tools by which a model starts agents and gets back what they did. `door` null: in a replay, which runs none. */
export function createAgentTools({ kinds }: AgentsOffer, door: AgentDoor | null): readonly Tool[] {
  return [spawnTool(kinds, door), manageTool(door), takeTool(door)];
}

function spawnTool(kinds: AgentsOffer['kinds'], door: AgentDoor | null): Tool {
  const named = kinds.map(({ name, description }) => `${name} (${description})`).join(', ');
  const { kind, ...plain } = spawnInput.shape;
  const input = kinds.length === 0 ? z.object(plain) : z.object({ ...plain, kind: kind.describe(`one of: ${named}`) });
  return {
    name: spawnToolName,
    description:
      'Give a part of the task to an agent that sees nothing of this conversation; several in one answer run side by side. Its result, cost and changed files come back. Not for what a few calls do.',
    access: 'read',
    isLong: true,
    isForStrong: true,
    input,
    label: (value) => `agent: ${firstLine(spawnInput.parse(value).task)}`,
    run: (value, context) =>
      withDoor(door, context, async ({ agents, parent }, toolCallId) => {
        const { task, access, ...asked } = spawnInput.parse(value);
        const given = await parent(toolCallId, task, context.signal);
        const request = {
          task: given.text,
          access,
          kind: asked.kind ?? null,
          model: asked.model ?? null,
          tools: asked.tools ?? null,
          maxSteps: asked.maxSteps ?? null,
          maxMinutes: asked.maxMinutes ?? null,
          maxUsd: asked.maxUsd ?? null,
        };
        return resultOf(await agents.spawn(request, given.parent, context.signal));
      }),
  };
}

function manageTool(door: AgentDoor | null): Tool {
  return {
    name: 'agent_manage',
    description: 'List your agents, inspect one with its changes, go on with one by a message, or stop one.',
    access: 'read',
    isLong: true,
    isForStrong: true,
    input: manageInput,
    label: (value) => {
      const { action, agent } = manageInput.parse(value);
      return agent === undefined ? `agents: ${action}` : `${agent}: ${action}`;
    },
    run: (value, context) =>
      withDoor(door, context, async ({ agents, parent }, toolCallId) => {
        const { action, agent, text } = manageInput.parse(value);
        if (action === 'list') return okResult(listText(agents.list()));
        if (agent === undefined) return errorResult('Say which: "agent", as "list" names it.');
        if (action === 'stop') {
          await agents.stop(agent);
          return okResult(`${agent} was stopped. What it changed in its copy can still be taken.`);
        }
        if (action === 'inspect') return okResult(await inspectText(agents, agent));
        if (text === undefined) return errorResult('Say what it is to do next, as "text".');
        const given = await parent(toolCallId, text, context.signal);
        const message = { text: given.text, parent: given.parent };
        return resultOf(await agents.message(agent, message, context.signal));
      }),
  };
}

function takeTool(door: AgentDoor | null): Tool {
  return {
    name: 'take_changes',
    description:
      'Bring files that an agent changed in its copy into yours. A file that is different here by now is a conflict: it is named and left as it is.',
    access: 'write',
    isForStrong: true,
    input: takeInput,
    label: (value) => `take the changes of ${takeInput.parse(value).agent}`,
    run: (value, context) =>
      withDoor(door, context, ({ agents }) => takeChanges(agents, takeInput.parse(value), context)),
  };
}

/** What cannot be done is told to the model, with the reason. */
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
    const output = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return { status: error.code === 'refused' ? 'refused' : 'error', output };
  }
}

function resultOf(result: ChildResult): ToolResult {
  const { child, text, seconds, steps, tokens, costUsd, changes } = result;
  const spent = `${seconds.toFixed(0)} s, ${steps} ${steps === 1 ? 'step' : 'steps'}, ${tokens} tokens, ${moneyText(costUsd)}`;
  const output = [
    `${child.name} ended: ${result.reason} (${spent}). It says:`,
    text,
    ...(changes.length === 0 ? [] : [`Changed in its copy, and not yet here: ${changesText(changes)}.`]),
    ...(changes.length === 0
      ? []
      : [`Look: agent_manage inspect. Bring them here: take_changes {"agent": "${child.name}"}.`]),
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
      const changed = changedFiles === 0 ? '' : `, ${changedFiles} changed files`;
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
