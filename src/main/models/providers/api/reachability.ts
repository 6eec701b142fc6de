/** Whether a service can be reached, as far as the last request to it has shown. */
export interface Reachability {
  /** The same way out, watched. */
  readonly fetch: typeof fetch;
  /** Any answer shows that it is there, a refusal too. Null: nothing was asked yet. */
  readonly now: () => 'there' | 'away' | null;
  /** Nobody answered in the time that there was. */
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
        // Who stops a request learns nothing of the way.
        if (init?.signal?.aborted !== true) last = 'away';
        throw error;
      }
    },
  };
}
