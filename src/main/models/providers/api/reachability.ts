/** Whether a service can be reached, judged by the last request to it. */
export interface Reachability {
  /** The given `fetch`, with its outcome recorded. */
  readonly fetch: typeof fetch;
  /** Any answer counts as reachable, even a refusal. Null: no request yet. */
  readonly now: () => 'there' | 'away' | null;
  /** Records that no answer came within the time limit. */
  readonly noteSilence: () => void;
}

export function watchReachability(get: typeof fetch): Reachability {
  let last: 'there' | 'away' | null = null;
  return {
    now: () => last,
    noteSilence: () => {
      last = 'away';
    },
    fetch: async (input, init) => {
      try {
        const response = await get(input, init);
        last = 'there';
        return response;
      } catch (error) {
        // An aborted request says nothing about the network.
        if (init?.signal?.aborted !== true) last = 'away';
        throw error;
      }
    },
  };
}
