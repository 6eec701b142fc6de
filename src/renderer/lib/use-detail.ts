import { useQuery } from '@tanstack/react-query';
import type { CallDetail } from '@shared/contract.ts';
import { useClient } from './core-context.ts';
import { failureText } from './failure-text.ts';

export type DetailLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly detail: CallDetail }
  | { readonly type: 'failed'; readonly text: string };

/**
 * All that the log has of a call, a tool call, an action, a message or a turn. `version`: changes when it has more.
 * Not `isNeeded`: nothing is asked, and it stays loading.
 */
export function useDetail(sessionId: string, id: string, version: string, isNeeded = true): DetailLoad {
  const client = useClient();
  const query = useQuery({
    queryKey: ['detail', sessionId, id, version],
    queryFn: ({ signal }) => client.sessions.detail({ sessionId, id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: isNeeded,
  });
  if (query.data !== undefined) return { type: 'ready', detail: query.data };
  return query.error === null ? { type: 'loading' } : { type: 'failed', text: failureText(query.error) };
}
