import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SearchHit } from '@shared/contract/search-answer.ts';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';

export type SearchLoad =
  | { readonly type: 'none' }
  | { readonly type: 'looking' }
  | { readonly type: 'ready'; readonly hits: readonly SearchHit[]; readonly isComplete: boolean }
  | { readonly type: 'failed'; readonly text: string };

const shortestText = 2;
const pauseMs = 200;
const mostHits = 60;

/** Search results from all sessions, loaded once typing pauses. They grow until every log has been searched. */
export function useSearch(typed: string): SearchLoad {
  const client = useClient();
  const text = usePaused(typed.trim());
  const isAsked = text.length >= shortestText;
  const query = useQuery({
    queryKey: ['search', text],
    queryFn: ({ signal }) => client.sessions.search({ text, limit: mostHits }, { signal }),
    enabled: isAsked,
    // The same words may find newer messages.
    staleTime: 0,
    gcTime: 30_000,
    refetchInterval: ({ state }) => (state.data?.isComplete === false ? 50 : false),
  });
  if (!isAsked) return { type: 'none' };
  if (query.data !== undefined) return { type: 'ready', ...query.data };
  return query.error === null ? { type: 'looking' } : { type: 'failed', text: failureText(query.error) };
}

function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
