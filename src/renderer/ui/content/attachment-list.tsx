import { useState } from 'react';
import { attachmentLabel } from '@shared/attachments/attachment-text.ts';
import type { Attachment, DocumentFacts } from '@shared/attachments/attachment.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { FilePreview } from '@shared/attachments/attachment-inputs.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  /** Absent: they were sent and cannot be removed. */
  readonly onRemove?: (attachment: Attachment) => void;
  /** What a model would see of each, if known. */
  readonly previews?: readonly FilePreview[];
}

/** The attachments of a message: images as thumbnails, texts by name and size. */
export function AttachmentList({ attachments, onRemove, previews = [] }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={t('attach.list')} className="flex flex-wrap gap-2">
      {attachments.map((attachment) => (
        <li key={`${attachment.name}:${attachment.blob.sha256}`} className="relative max-w-full">
          {attachment.kind === 'image' ? (
            <Picture attachment={attachment} />
          ) : (
            <TextChip
              attachment={attachment}
              isRemovable={onRemove !== undefined}
              preview={previews.find((one) => one.attachment.blob.sha256 === attachment.blob.sha256) ?? null}
            />
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

interface TextChipProps {
  readonly attachment: Attachment;
  readonly isRemovable: boolean;
  readonly preview: FilePreview | null;
}

function TextChip({ attachment, isRemovable, preview }: TextChipProps) {
  const cut = preview === null ? null : cutText(preview);
  return (
    <span
      className={`inline-flex max-w-full flex-col gap-0.5 rounded-md border bg-raised px-2 py-1.5 text-xs text-ink ${cut === null ? 'border-line' : 'border-warn'} ${isRemovable ? 'pr-9' : ''}`}
    >
      <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <span className="flex min-w-0 items-center gap-1.5">
          <Icon name="file" className="size-3.5 shrink-0 text-soft" />
          <span className="min-w-0 truncate font-mono">{seenName(attachmentLabel(attachment))}</span>
        </span>
        <span className="text-soft">{factsOf(attachment, preview).join(' · ')}</span>
      </span>
      {cut !== null && <span className="text-warn">{cut}</span>}
    </span>
  );
}

/** Its size, and what the user should know before sending. */
function factsOf(attachment: Attachment, preview: FilePreview | null): readonly string[] {
  if (attachment.kind === 'image') return [];
  const { document, chat, encoding, blob, name, source } = attachment;
  const lines = preview?.lines ?? null;
  return [
    blob.bytes === 0 ? t('attach.empty') : bytes(document?.blob.bytes ?? chat?.bytes ?? blob.bytes),
    ...(chat === undefined ? [] : [plural('attach.conversations', chat.conversations)]),
    ...(document === undefined ? [] : partsOf(document)),
    ...(lines === null || lines.all === 0 ? [] : [plural('attach.lines', lines.all)]),
    ...(source === undefined ? [] : [t('attach.fromServer')]),
    ...(encoding === undefined ? [] : [t('attach.encoding', { encoding })]),
    ...(/\.svg$/iu.test(name) ? [t('attach.asText')] : []),
  ];
}

/** The number of its pages, sheets or cells, and what is missing of them. */
function partsOf({ kind = 'pdf', pages, read, blank, isCut }: DocumentFacts): readonly string[] {
  const beginning = isCut === true || read < pages ? [t('attach.beginning')] : [];
  switch (kind) {
    case 'pdf':
      return [plural('attach.pages', pages), ...(blank === 0 ? [] : [plural('attach.blank', blank)])];
    case 'excel':
      return [plural('attach.sheets', pages), ...beginning];
    case 'notebook':
      return [plural('attach.cells', pages), ...beginning];
    case 'word':
    case 'csv':
    case 'page':
      return beginning;
    default:
      return kind satisfies never;
  }
}

/** Says which part of a file is not sent; null when it is sent in full. */
export function cutText({ bytes: all, shownBytes, pages }: FilePreview): string | null {
  if (shownBytes >= all && (pages === null || pages.shown >= pages.all)) return null;
  if (shownBytes === 0) return t('attach.cutAll');
  if (pages !== null && pages.shown > 1)
    return t(pages.shown < pages.all ? 'attach.cutPages' : 'attach.cutLastPage', {
      shown: pages.shown,
      all: pages.all,
    });
  if (pages !== null && pages.all > 1) return t('attach.cutFirstPage', { all: pages.all });
  return t(pages === null ? 'attach.cut' : 'attach.cutText', { shown: bytes(shownBytes), all: bytes(all) });
}

/** Small until the user opens it. */
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

/** The address of an attached image; null while it is loading, or when it is gone. */
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
