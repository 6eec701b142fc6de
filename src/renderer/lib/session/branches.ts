import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SessionBranch } from '@shared/contract/sessions-contract.ts';
import { useClient } from '../connection/core-context.ts';

/** The ways that go on from one point: sessions, in the order in which they came to be. */
export interface Alternatives {
  /** Where the session that is shown stands among them, from 0. */
  readonly at: number;
  readonly ways: readonly { readonly sessionId: string; readonly messageId: string }[];
}

/** Where the message stands beside others that were said at the same point of the talk; null: it is alone there. */
export function useAlternatives(sessionId: string, messageId: string): Alternatives | null {
  const client = useClient();
  const { data = [] } = useQuery({
    queryKey: ['branches', sessionId],
    queryFn: ({ signal }) => client.sessions.branches({ sessionId }, { signal }),
  });
  return alternativesAt(data, { sessionId, messageId });
}

/**
 * A message that was sent may have made a branch. They are looked for once more when its turn has ended: what the list
 * of sessions knows of a log may be older than the log for a moment.
 */
export function useBranchesAgain(sessionId: string, lastMessageId: string | null, isRunning: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['branches', sessionId] });
  }, [queries, sessionId, lastMessageId, isRunning]);
}

/** The messages after the same beginning, each by the session with it that was worked in last. */
export function alternativesAt(
  branches: readonly SessionBranch[],
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string },
): Alternatives | null {
  const own = branches.find((branch) => branch.sessionId === sessionId);
  const at = own?.messages.indexOf(messageId) ?? -1;
  if (own === undefined || at < 0) return null;
  const before = own.messages.slice(0, at);
  const beside = branches.filter(
    ({ messages }) => messages.length > at && before.every((one, index) => messages[index] === one),
  );
  // Ids of sessions sort by time: the first session with a message is the one that it was said in.
  const sorted = beside.toSorted((left, right) => (left.sessionId < right.sessionId ? -1 : 1));
  const messages = [...new Set(sorted.flatMap((branch) => branch.messages[at] ?? []))];
  if (messages.length < 2) return null;
  const ways = messages.map((message) => {
    const having = sorted.filter((branch) => branch.messages[at] === message);
    const latest = having.reduce((best, one) => (one.updatedAt > best.updatedAt ? one : best));
    return { messageId: message, sessionId: message === messageId ? sessionId : latest.sessionId };
  });
  return { at: messages.indexOf(messageId), ways };
}
