import { useEffect, useState } from 'react';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import { failureText } from '../../lib/connection/failure-text.ts';

export interface ComparisonLoad {
  readonly comparison: Comparison | null;
  /** Whether its runs are being carried out. */
  readonly isAtWork: boolean;
  readonly problem: string | null;
  readonly resume: () => void;
  readonly stop: () => void;
  /** Shows a later state that a command answered with. */
  readonly replace: (comparison: Comparison) => void;
}

const nothing = { comparison: null, isAtWork: false, problem: null };

/** A comparison and its progress. Leaving the view does not stop it. */
export function useComparison(id: string): ComparisonLoad {
  const client = useClient();
  const [load, setLoad] = useState<Pick<ComparisonLoad, 'comparison' | 'isAtWork' | 'problem'>>(nothing);
  /** Watching starts again when the comparison goes on. */
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const watch = async (): Promise<void> => {
      try {
        for await (const comparison of await client.comparisons.watch({ id }, { signal: stop.signal })) {
          const has = (state: string): boolean => comparison.runs.some((run) => run.state === state);
          // Between two runs, none is running for a moment.
          setLoad((before) => ({
            comparison,
            isAtWork: has('running') || (before.isAtWork && has('waiting')),
            problem: null,
          }));
        }
        setLoad((before) => ({ ...before, isAtWork: false }));
      } catch (error) {
        if (!stop.signal.aborted) setLoad((before) => ({ ...before, isAtWork: false, problem: failureText(error) }));
      }
    };
    void watch();
    return () => stop.abort();
  }, [client, id, round]);
  const failed = (error: unknown): void => setLoad((before) => ({ ...before, problem: failureText(error) }));
  return {
    ...load,
    resume: () => void start(client, id).then(() => setRound((before) => before + 1), failed),
    replace: (comparison) => setLoad((before) => ({ ...before, comparison })),
    stop: () => void client.comparisons.cancel({ id }).catch(failed),
  };
}

async function start(client: CoreClient, id: string): Promise<void> {
  await client.comparisons.start({ id });
}
