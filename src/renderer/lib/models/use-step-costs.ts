import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';

/**
 * What each step that has ended cost, and would have in the other place. The core reads the whole log for it: it is
 * asked only where the figures are shown, and again when `version`, which grows with the steps, is another.
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
