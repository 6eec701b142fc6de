import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SessionBranch } from '@shared/contract/sessions-contract.ts';
import { useClient } from '../connection/core-context.ts';

/** The branches from one point: sessions, oldest first. */
export interface Alternatives {
  /** The index of the open session among them. */
  readonly at: number;
  readonly ways: readonly { readonly sessionId: string; readonly messageId: string }[];
}

/** The branches at a message: others were sent at the same point. Null when there are none. */
export function useAlternatives(sessionId: string, messageId: string): Alternatives | null {
  const client = useClient();
  const { data = [] } = useQuery({
    queryKey: ['branches', sessionId],
    queryFn: ({ signal }) => client.sessions.branches({ sessionId }, { signal }),
  });
  return alternativesAt(data, { sessionId, messageId });
}

/**
 * Looks for branches again after a message was sent, which may have made one, and when its turn has ended, because the
 * list of sessions may lag behind the log for a moment.
 */
export function useBranchesAgain(sessionId: string, lastMessageId: string | null, isRunning: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['branches', sessionId] });
  }, [queries, sessionId, lastMessageId, isRunning]);
}

/** The messages after the same beginning. For each, the session that was last worked on. */
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
  // Session ids sort by time, so the first session with a message is the one it was sent in.
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
