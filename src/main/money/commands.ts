import type { Handlers } from '../server/handlers.ts';
import type { HomeMoney } from './home-money.ts';

/** The commands for costs and spending limits. */
export function createMoneyCommands({
  costs,
  monthCosts,
  stepCosts,
  taskNeeds,
  caps,
}: Pick<HomeMoney, 'costs' | 'monthCosts' | 'stepCosts' | 'taskNeeds' | 'caps'>) {
  return {
    costs: ({ input }) => costs(input),
    monthCosts: ({ input }) => monthCosts(input.project),
    stepCosts: ({ input }) => stepCosts(input.sessionId),
    taskNeeds: ({ input }) => taskNeeds(input.model),
    budget: {
      show: ({ input }) => caps.show(input.projectPath),
      change: ({ input: { change, ...target } }) => caps.change(target, change),
    },
  } satisfies Partial<Handlers>;
}
