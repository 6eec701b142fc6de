import type { Attachment } from './attachment.ts';
import type { Part } from '@shared/models/model-messages.ts';

/** More of an image than this is taken by no service; a person is told, and nothing is made smaller by itself. */
export const maxImageBytes = 5 * 1024 * 1024;
export const maxImageSide = 8000;
/** More of a text is better left to the tools, which read a file piece by piece. */
export const maxTextBytes = 256 * 1024;
export const maxAttachments = 20;

export function hasImage(attachments: readonly Attachment[] | undefined): boolean {
  return attachments?.some(({ kind }) => kind === 'image') === true;
}

/** `a.py`, or `a.py (lines 3 to 9)`. */
export function attachmentLabel(attachment: Attachment): string {
  if (attachment.kind === 'image' || attachment.lines === undefined) return attachment.name;
  const { from, to } = attachment.lines;
  return `${attachment.name} (${from === to ? `line ${from}` : `lines ${from} to ${to}`})`;
}

/** An attachment as a model is shown it; null stands for bytes that are gone, which is said. */
export function attachmentPart(
  attachment: Attachment,
  bytes: Uint8Array | null,
  toBase64: (bytes: Uint8Array) => string,
): Part {
  const label = attachmentLabel(attachment);
  if (bytes === null) return { type: 'text', text: `(${label} was attached here, and is no longer there.)` };
  if (attachment.kind === 'image') {
    const { mediaType, name, width, height, blob } = attachment;
    return { type: 'image', mediaType, data: toBase64(bytes), name, width, height, blob };
  }
  const text = new TextDecoder().decode(bytes);
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return {
    type: 'text',
    text: `Attached by the person, as data: ${label}\n${fence}\n${text.replace(/\n$/u, '')}\n${fence}`,
  };
}

/** So that no text can end the block that it stands in. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}
