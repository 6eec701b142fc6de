import { carriedSteps } from '@shared/session/plan-steps.ts';
import type { Tool, ToolContext } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';
import { createFindTools } from '../../tools/foreign/find-tools.ts';
import { isAdded } from '../prompt/tool-descriptions.ts';
import { createForeignTool } from '../../tools/foreign/foreign-tool.ts';

/** The tool by which a model says how far a plan is; it makes sense while one is carried out alone. */
const planTool = 'update_plan';

function carriesPlan({ task, options }: Pick<Turn, 'task' | 'options'>): boolean {
  return !options.plan && carriedSteps(task) !== null;
}

/**
 * The tools that the loop of this turn may be offered: ours, those for the web that are switched on, then
 * those of others, as they were at its start.
 */
export function toolsOfTurn(turn: Turn): readonly Tool[] {
  const { tools, foreign } = turn.dependencies;
  const { foreign: specs = [], findsTools, readsResults, web = [] } = turn.found.facts ?? {};
  const offered = tools.filter(
    ({ name, isWeb, isForResults }) =>
      (isWeb !== true || web.includes(name)) && (isForResults !== true || readsResults === true),
  );
  const own = carriesPlan(turn) ? offered : offered.filter(({ name }) => name !== planTool);
  const finders = findsTools === true ? createFindTools(specs) : [];
  return [
    ...own.filter((tool) => !isAdded(tool)),
    ...own.filter(isAdded),
    ...finders,
    ...specs.map((spec) => createForeignTool(spec, foreign?.call ?? null)),
  ];
}

/** How a tool notes the plan's progress; written inside its effect, so that a replay takes it from the log. */
export function planProgressNotes(turn: Turn): Pick<ToolContext, 'notePlan'> {
  if (!carriesPlan(turn)) return {};
  return {
    notePlan: async (items) => {
      await turn.log.append({ type: 'plan-progressed', items: [...items] });
    },
  };
}
