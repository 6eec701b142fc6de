import type { Handlers } from '../server/handlers.ts';
import type { HomeMoney } from './home-money.ts';

/** The commands about what was spent and what may be spent. */
export function createMoneyCommands({ costs, stepCosts, caps }: Pick<HomeMoney, 'costs' | 'stepCosts' | 'caps'>) {
  return {
    costs: ({ input }) => costs(input),
    stepCosts: ({ input }) => stepCosts(input.sessionId),
    budget: {
      show: ({ input }) => caps.show(input.projectPath),
      change: ({ input: { change, ...target } }) => caps.change(target, change),
    },
  } satisfies Partial<Handlers>;
}
