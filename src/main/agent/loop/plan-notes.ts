import type { Tool, ToolContext, ToolNeed } from '../../tools/define.ts';
import { createAgentTools } from '../../tools/agents/agent-tools.ts';
import { fencedIn } from '../../safety/fenced-text.ts';
import type { AgentDoor } from '../../tools/agents/agent-tools.ts';
import { createSkillTool } from '../../tools/skills/skill-tool.ts';
import { skillLoader } from '../preparation/turn-skills.ts';
import type { Turn } from '../turn/turn.ts';
import { createFindTools, isFinder } from '../../tools/connected/find-tools.ts';
import { wholeTools } from './narrowed-tools.ts';
import { isAdded } from '../prompt/tool-descriptions.ts';
import { createProgramTool } from '../../tools/programs/run-program.ts';
import { createConnectedTool } from '../../tools/connected/connected-tool.ts';

/** The tool with which a model keeps the steps of its work. A turn that makes a plan changes nothing yet. */
const planTool = 'update_plan';

/**
 * The tools that the loop of this turn may be offered: built-in tools, then those that the project or the user gives a
 * reason for, then
 * connected tools as they were at the start of the turn.
 */
export function toolsOfTurn(turn: Turn): readonly Tool[] {
  const { builtIn, connected } = turn.dependencies.tools;
  const {
    connected: specs = [],
    findsTools,
    readsResults,
    draws,
    computes,
    web = [],
    parts = [],
  } = turn.found.facts ?? {};
  const there = new Set<ToolNeed>([
    ...parts,
    ...(readsResults === true ? (['results'] as const) : []),
    ...(draws === true ? (['drawing'] as const) : []),
    ...(computes === true ? (['computing'] as const) : []),
  ]);
  const isThere = ({ name, needs }: Tool): boolean =>
    needs === undefined || (needs === 'web' ? web.includes(name) : there.has(needs));
  const offered = builtIn.filter(isThere);
  const own = turn.options.mode === 'plan' ? offered.filter(({ name }) => name !== planTool) : offered;
  const { agents, programs, skills } = turn.found.facts ?? {};
  const starters = agents === undefined ? [] : createAgentTools(agents, agentDoor(turn));
  const finders = findsTools === true ? createFindTools(specs) : [];
  const all = [
    ...own.filter((tool) => !isAdded(tool)),
    ...starters,
    ...(programs === true ? [createProgramTool()] : []),
    ...own.filter(isAdded),
    ...(skills === undefined || skills.told.length === 0 ? [] : [createSkillTool(skills.told, skillLoader(turn))]),
    ...finders,
    ...specs.map((spec) => createConnectedTool(spec, connected?.call ?? null)),
  ];
  const { tools: allowed } = turn.options;
  const left =
    allowed === undefined ? all : all.filter(({ name, access }) => access === 'end' || allowed.includes(name));
  if (turn.given.mode !== 'chat') return left;
  const isWithTools = turn.found.facts?.talksWithTools === true;
  return left.filter((tool) => ofProject(tool) || (isWithTools && isForTalk(tool)));
}

/** What a talk has of its project, where there is something for it: a line to keep, and the search of its knowledge. */
function ofProject({ needs, isForSight }: Tool): boolean {
  return needs === 'memory' || (needs === 'documents' && isForSight !== true);
}

const needsOfTalk: readonly (ToolNeed | undefined)[] = ['web', 'results', 'computing'];

/** A talk looks at no files: it has what the user connected and switched on, and reads more of its results. */
function isForTalk(tool: Tool): boolean {
  return tool.connected !== undefined || isFinder(tool) || needsOfTalk.includes(tool.needs);
}

/** How a tool records the plan's progress. Written inside the tool's effect, so that a replay takes it from the log. */
export function planProgressNotes(turn: Turn): Pick<ToolContext, 'notePlan'> {
  if (turn.options.mode === 'plan') return {};
  return {
    notePlan: async (items) => {
      await turn.log.append({ type: 'plan-progressed', items: [...items] });
    },
  };
}

/** How the tools of this turn start child agents; null: it starts none. */
function agentDoor(turn: Turn): AgentDoor | null {
  const { agents } = turn.dependencies.tools;
  if (agents === null) return null;
  return {
    agents,
    parent: async (toolCallId, task, signal) => {
      // The task of a child passes the same fences as a model call, because the child may work in the cloud.
      const { text, hits } = await fencedIn(turn.dependencies.fences, task, signal);
      const { limits } = turn.prompt.conversation.skills();
      const { policy, local, cloud, modelOrder, approve, maxUsd, atCap, network, instructions } = turn.options;
      const parent = {
        turnId: turn.id,
        toolCallId,
        policy,
        local,
        cloud,
        modelOrder,
        approve,
        network,
        instructions,
        taskCapUsd: maxUsd,
        atCap,
        tokensLeft: turn.limits.tokensLeft(),
        millisecondsLeft: turn.limits.millisecondsLeft(turn.dependencies.journal.now()),
        fenced: hits,
        ...(limits.length === 0 ? {} : { tools: wholeTools(limits, toolsOfTurn(turn)) }),
      };
      return { text, parent };
    },
  };
}
