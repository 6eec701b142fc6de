import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CoreClient } from '../../../lib/connection/core-client.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';

/** A plan, and what became of it. */
export interface PlanState<Plan, Made> {
  /** Null: not known yet, or there is a problem. */
  readonly plan: Plan | null;
  readonly isLooking: boolean;
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** What was made of the plan; null: nothing yet. */
  readonly made: Made | null;
  readonly make: () => Promise<void>;
}

interface Steps<Plan, Made> {
  /** What the plan depends on. */
  readonly key: readonly unknown[];
  readonly plan: (client: CoreClient, signal: AbortSignal) => Promise<Plan>;
  readonly make: (client: CoreClient, plan: Plan) => Promise<Made>;
}

/** A plan that is shown first, and then carried out exactly as shown. */
export function usePlan<Plan, Made>(steps: Steps<Plan, Made>): PlanState<Plan, Made> {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const found = useQuery({
    queryKey: ['git', ...steps.key],
    queryFn: ({ signal }) => steps.plan(client, signal),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    enabled: made === null,
    placeholderData: keepPreviousData,
  });
  const make = async (): Promise<void> => {
    if (found.data === undefined) return;
    setIsBusy(true);
    setProblem(null);
    try {
      setMade(await steps.make(client, found.data));
    } catch (error) {
      setProblem(failureText(error));
      // It may be another by now.
      await found.refetch();
    } finally {
      setIsBusy(false);
    }
  };
  const failed = found.error === null ? null : failureText(found.error);
  return {
    plan: failed === null ? (found.data ?? null) : null,
    isLooking: found.isFetching,
    problem: problem ?? failed,
    isBusy,
    made,
    make,
  };
}
