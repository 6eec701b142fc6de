import { useQuery } from '@tanstack/react-query';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { useClient } from '../connection/core-context.ts';

const none: readonly PromptTemplate[] = [];

/** The person's prompt templates and the folder that they lie in. Files that were changed by hand are seen at once. */
export function useTemplates(): { readonly folder: string; readonly templates: readonly PromptTemplate[] } {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['templates'],
    queryFn: ({ signal }) => client.templates.list(undefined, { signal }),
    staleTime: 2000,
  });
  return data ?? { folder: '', templates: none };
}
