import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { useClient } from '../connection/core-context.ts';

/** An image that was attached, as an address that holds it; null while it is fetched, or where it is gone. */
export function useImageUrl({ blob, kind }: Attachment): string | null {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['image', blob.sha256],
    queryFn: ({ signal }) => client.attachments.read({ blob }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    enabled: kind === 'image',
  });
  return data === undefined || data === null ? null : `data:${data.mediaType};base64,${data.data}`;
}
