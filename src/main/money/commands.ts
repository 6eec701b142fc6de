import type { Handlers } from '../server/handlers.ts';
import type { HomeMoney } from './home-money.ts';
import type { PriceUpdates } from './price-updates.ts';

/** The commands for costs, spending limits and the price list. */
export function createMoneyCommands({
  costs,
  monthCosts,
  stepCosts,
  taskNeeds,
  caps,
  prices,
}: Pick<HomeMoney, 'costs' | 'monthCosts' | 'stepCosts' | 'taskNeeds' | 'caps'> & { readonly prices: PriceUpdates }) {
  return {
    costs: ({ input }) => costs(input),
    monthCosts: ({ input }) => monthCosts(input.project),
    stepCosts: ({ input }) => stepCosts(input.sessionId),
    taskNeeds: ({ input }) => taskNeeds(input.model),
    budget: {
      show: ({ input }) => caps.show(input.projectPath),
      change: ({ input: { change, ...target } }) => caps.change(target, change),
    },
    prices: {
      show: () => prices.show(),
      update: ({ input, signal }) => (input.apply ? prices.use(input.hash) : prices.look(signal)),
      reset: () => prices.reset(),
    },
  } satisfies Partial<Handlers>;
}
