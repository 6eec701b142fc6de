import { carriedSteps } from '@shared/session/plan-steps.ts';
import type { Tool, ToolContext } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';

/** The tool by which a model says how far a plan is; it makes sense while one is carried out alone. */
const planTool = 'update_plan';

function carriesPlan({ task, options }: Pick<Turn, 'task' | 'options'>): boolean {
  return !options.plan && carriedSteps(task) !== null;
}

/** The tools that the loop of this turn may be offered. */
export function toolsOfTurn(turn: Turn): readonly Tool[] {
  const { tools } = turn.dependencies;
  return carriesPlan(turn) ? tools : tools.filter(({ name }) => name !== planTool);
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
