import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import type { CallDetail } from '@shared/contract/sessions-contract.ts';

export type DetailLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly detail: CallDetail }
  | { readonly type: 'failed'; readonly text: string };

/** A call, a tool call, an action, a message or a turn, and the number of an event not far before it. */
export interface LogPlace {
  readonly id: string;
  readonly near: number;
}

/**
 * All that the log has of a call, a tool call, an action, a message or a turn. `version`: changes when it has more.
 * Not `isNeeded`: nothing is asked, and it stays loading.
 */
export function useDetail(sessionId: string, place: string | LogPlace, version: string, isNeeded = true): DetailLoad {
  const asked = typeof place === 'string' ? { id: place } : place;
  const client = useClient();
  const query = useQuery({
    queryKey: ['detail', sessionId, asked.id, version],
    queryFn: ({ signal }) => client.sessions.detail({ sessionId, ...asked }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: isNeeded,
  });
  if (query.data !== undefined) return { type: 'ready', detail: query.data };
  return query.error === null ? { type: 'loading' } : { type: 'failed', text: failureText(query.error) };
}
