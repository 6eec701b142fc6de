import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type AgainPush,
  askedSessions,
  type AskedSession,
  type ExpectedAgain,
} from '@shared/comparisons/asked-again.ts';
import type { AgainInput } from '@shared/contract/endpoint-contract.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useWork, type Work } from '../../lib/connection/use-work.ts';

interface AskingAgain {
  readonly work: Work;
  /** What it would take, apart from what this model answered before. */
  readonly expected: ExpectedAgain | undefined;
  readonly isCounting: boolean;
  readonly error: Error | null;
  /** What came until now, in the order in which it was asked. */
  readonly asked: readonly AskedSession[];
  readonly ask: (maxUsd: number | null) => void;
  readonly forget: () => void;
}

/** Asks a model recorded requests, and counts before what that takes. Null: nothing is chosen yet. */
export function useAskAgain(input: AgainInput | null): AskingAgain {
  const client = useClient();
  const queries = useQueryClient();
  const work = useWork('costs');
  const [asked, setAsked] = useState<readonly AskedSession[]>([]);
  const expected = useQuery({
    queryKey: ['ask-again', input],
    queryFn: ({ signal }) => (input === null ? null : client.endpoint.expectAgain(input, { signal })),
    enabled: input !== null,
  });
  const run = async (maxUsd: number | null): Promise<void> => {
    if (input === null) return;
    setAsked([]);
    await work.run(async (signal) => {
      const before: AskedSession[] = [];
      let pushes: AgainPush[] = [];
      for await (const push of await client.endpoint.askAgain({ ...input, maxUsd }, { signal })) {
        if (signal.aborted) return;
        pushes.push(push);
        const now = askedSessions(pushes);
        setAsked([...before, ...now]);
        if (push.type === 'call') continue;
        before.push(...now);
        pushes = [];
      }
    });
    // What was answered now is not asked when it is resumed.
    await queries.invalidateQueries({ queryKey: ['ask-again'] });
  };
  return {
    work,
    expected: expected.data ?? undefined,
    isCounting: expected.isFetching && !work.isBusy,
    error: expected.error,
    asked,
    ask: (maxUsd) => void run(maxUsd),
    forget: () => setAsked([]),
  };
}
