import { useQuery } from '@tanstack/react-query';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import type { CallDetail } from '@shared/contract/sessions-contract.ts';

export type DetailLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly detail: CallDetail }
  | { readonly type: 'failed'; readonly text: string };

/** The id of a call, tool call, action, message or turn, and an event a little before it. */
export interface LogPlace {
  readonly id: string;
  readonly near: number;
}

/**
 * Everything that the log has about a call, tool call, action, message or turn. Loads again when `version` changes.
 * Without `isNeeded`, it does not load and stays in the loading state.
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
