import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';

/**
 * What each ended step cost, and what it would have cost in the other place. The core reads the whole log for this, so
 * ask only where the figures are shown. Loads again when `version` changes, which grows with the steps.
 */
export function useStepCosts(sessionId: string, version: number, isNeeded = true) {
  const client = useClient();
  return useQuery({
    queryKey: ['step-costs', sessionId, version],
    queryFn: ({ signal }) => client.stepCosts({ sessionId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before, query) => (query?.queryKey[1] === sessionId ? before : undefined),
    enabled: isNeeded,
  });
}
