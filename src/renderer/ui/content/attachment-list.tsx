import { useState } from 'react';
import { attachmentLabel } from '@shared/attachments/attachment-text.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  /** Absent: they were sent, and stay. */
  readonly onRemove?: (attachment: Attachment) => void;
}

/** What came, or will come, with a message: images as they are, texts by name and size. */
export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={t('attach.list')} className="flex flex-wrap gap-2">
      {attachments.map((attachment) => (
        <li key={`${attachment.name}:${attachment.blob.sha256}`} className="relative max-w-full">
          {attachment.kind === 'image' ? (
            <Picture attachment={attachment} />
          ) : (
            <TextChip attachment={attachment} isRemovable={onRemove !== undefined} />
          )}
          {onRemove !== undefined && (
            <button
              type="button"
              aria-label={t('attach.remove', { name: seenName(attachment.name) })}
              title={t('attach.remove', { name: seenName(attachment.name) })}
              onClick={() => onRemove(attachment)}
              className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-full border border-line bg-raised hover:bg-chosen"
            >
              <Icon name="close" className="size-3" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function TextChip({ attachment, isRemovable }: { readonly attachment: Attachment; readonly isRemovable: boolean }) {
  return (
    <span
      className={`inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-xs text-ink ${isRemovable ? 'pr-8' : ''}`}
    >
      <Icon name="file" className="size-3.5 text-soft" />
      <span className="truncate font-mono">{seenName(attachmentLabel(attachment))}</span>
      <span className="text-soft">{bytes(attachment.blob.bytes)}</span>
    </span>
  );
}

/** Small until it is asked for. */
function Picture({ attachment }: { readonly attachment: Attachment }) {
  const [isLarge, setIsLarge] = useState(false);
  const url = useImageUrl(attachment);
  const name = seenName(attachment.name);
  if (attachment.kind !== 'image') return null;
  const about = `${name}, ${attachment.width} × ${attachment.height}, ${bytes(attachment.blob.bytes)}`;
  return (
    <button
      type="button"
      aria-expanded={isLarge}
      aria-label={t('attach.image', { about })}
      title={about}
      onClick={() => setIsLarge(!isLarge)}
      className={`block overflow-hidden rounded-md border border-line bg-sunken ${isLarge ? 'max-w-full' : 'h-16 min-w-16 max-w-40'}`}
    >
      {url !== null && (
        <img src={url} alt="" className={isLarge ? 'block max-w-full' : 'mx-auto block h-full object-contain'} />
      )}
    </button>
  );
}

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
