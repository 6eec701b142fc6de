import type { Attachment } from '@shared/attachments/attachment.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { FileImage, HunkChoices } from '@shared/events/tool-events.ts';

/** The blobs that an event names. */
export function blobsOf(event: SessionEvent): readonly BlobRef[] {
  if (event.type === 'model-call-started') return [event.request];
  if (event.type === 'call-fenced') return event.manifest === null ? [] : [event.manifest];
  if (event.type === 'tool-ended') {
    const pictures = (event.pictures ?? []).map(({ blob }) => blob);
    return [event.full, event.dataBlob, ...pictures].filter((ref) => ref !== null);
  }
  if (event.type === 'user-message-added') return (event.attachments ?? []).flatMap(blobsOfAttachment);
  if (event.type === 'approval-requested') return (event.pictures ?? []).flatMap(blobsOfAttachment);
  if (event.type === 'file-changed')
    return [...imageBlob(event.before), ...imageBlob(event.after), ...blobsOfHunks(event.hunks)];
  if (event.type === 'hunks-taken') return blobsOfHunks(event.hunks);
  return [];
}

function blobsOfAttachment(attachment: Attachment): readonly BlobRef[] {
  const document = attachment.kind === 'text' ? attachment.document : undefined;
  const scans = (document?.scans ?? []).map(({ blob }) => blob);
  return document === undefined ? [attachment.blob] : [attachment.blob, document.blob, ...scans];
}

function blobsOfHunks(hunks: HunkChoices | undefined): readonly BlobRef[] {
  return hunks === undefined ? [] : [hunks.from, hunks.to, hunks.base].flatMap(imageBlob);
}

function imageBlob(image: FileImage): readonly BlobRef[] {
  return image?.kept ? [image.blob] : [];
}
