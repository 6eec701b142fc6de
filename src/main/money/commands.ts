import type { Handlers } from '../server/handlers.ts';
import type { HomeMoney } from './home-money.ts';

/** The commands for costs and spending limits. */
export function createMoneyCommands({
  costs,
  monthOutlook: outlook,
  stepCosts,
  taskNeeds,
  caps,
}: Pick<HomeMoney, 'costs' | 'monthOutlook' | 'stepCosts' | 'taskNeeds' | 'caps'>) {
  return {
    costs: ({ input }) => costs(input),
    monthOutlook: ({ input }) => outlook(input.project),
    stepCosts: ({ input }) => stepCosts(input.sessionId),
    taskNeeds: ({ input }) => taskNeeds(input.model),
    budget: {
      show: ({ input }) => caps.show(input.projectPath),
      change: ({ input: { change, ...target } }) => caps.change(target, change),
    },
  } satisfies Partial<Handlers>;
}
