import type { ServerMemoryPlanner } from '../../memory/server-memory-planner.ts';

/** Where there is no planner: what is asked for, else a context that nearly every machine has room for. */
export const defaultServerPlanner: ServerMemoryPlanner = {
  read: ({ keys }) => ({ facts: { keys, vocabulary: null, weights: null }, hollowKeys: [], markers: [] }),
  plan: ({ askedTokens }) =>
    Promise.resolve({
      askedTokens: askedTokens ?? 8_192,
      grantedTokens: askedTokens ?? 8_192,
      predictedBytes: null,
      placement: null,
      why: null,
    }),
};
