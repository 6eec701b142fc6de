import { useQuery } from '@tanstack/react-query';
import type { ServerResource } from '@shared/tools/server-resource.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import { t } from '../text/translate.ts';

const shown = 4;
const none: readonly ServerResource[] = [];

/** What connected tool servers have to read and what is typed after an `@` fits; null or nothing typed: none. */
export function useFoundResources(typed: string | null): readonly ServerResource[] {
  const client = useClient();
  const isAsked = typed !== null && typed !== '';
  const { data } = useQuery({
    queryKey: ['tools', 'resources'],
    queryFn: ({ signal }) => client.tools.resources(undefined, { signal }),
    enabled: isAsked,
    staleTime: 10_000,
    // A browser may not ask: then there are none.
    retry: false,
  });
  return isAsked ? fittingResources(data ?? none, typed) : none;
}

function fittingResources(resources: readonly ServerResource[], typed: string): readonly ServerResource[] {
  const sought = typed.toLowerCase();
  return resources
    .filter(({ server, name, uri }) => `${server} ${name} ${uri}`.toLowerCase().includes(sought))
    .slice(0, shown);
}

/** One as a file, which says where it is from. Rejects with a failure of the core. */
export async function fileOfResource(client: CoreClient, { server, uri, name }: ServerResource): Promise<File> {
  const content = await client.tools.readResource({ name: server, uri });
  const plain = name
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, ' ')
    .trim()
    .slice(0, 60);
  const fileName = plain === '' ? server : plain;
  if (content.type === 'text')
    return new File([`${t('mention.resource-source', { server, uri })}\n\n${content.text}\n`], `${fileName}.md`, {
      type: 'text/markdown',
    });
  const bytes = Uint8Array.from(atob(content.data), (letter) => letter.codePointAt(0) ?? 0);
  return new File([bytes], fileName, { type: content.mediaType });
}
