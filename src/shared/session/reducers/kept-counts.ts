/** The most items of each list that the folded state keeps. */
export const keptCounts = {
  turns: 200,
  steps: 600,
  toolCalls: 600,
  /** For each program. */
  innerCalls: 60,
  actions: 600,
  changes: 2000,
  /** For each call. */
  pictures: 8,
  notices: 50,
  progress: 100,
  routes: 20,
  /** Only the latest calls keep their output. */
  outputs: 40,
} as const;
