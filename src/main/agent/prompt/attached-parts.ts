import type { Attachment } from '@shared/attachments/attachment.ts';
import { attachmentPart, scanParts, scansOf } from '@shared/attachments/attachment-text.ts';
import { fitTexts } from '@shared/attachments/fit-attachments.ts';
import type { FittedText } from '@shared/attachments/fit-attachments.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { AttachedFile } from '../../recipes/conversation-entries.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import { promptRoom } from '@shared/models/prompt-room.ts';

/** The attachments of a message with their bytes. */
export async function attachedParts(
  journal: Pick<Journal, 'getBlob'>,
  attachments: readonly Attachment[] | undefined,
): Promise<readonly AttachedFile[]> {
  return Promise.all(
    (attachments ?? []).map(async (attachment) => {
      const scans = await Promise.all(scansOf(attachment).map(({ blob }) => journal.getBlob(blob)));
      const bytes = await journal.getBlob(attachment.blob);
      return { attachment, bytes, ...(scans.length === 0 ? {} : { scans }) };
    }),
  );
}

/** The tokens that the attached texts of one message may take: half of the prompt room in the model's context. */
export function roomForAttached(info: ModelInfo): number {
  return Math.max(0, Math.floor(promptRoom(info) / 2));
}

/**
 * How much of each text fits; null for anything that is not a text. The user saw this before sending, and what is sent
 * follows it.
 */
export function fitAttached(attached: readonly AttachedFile[], roomTokens: number): readonly (FittedText | null)[] {
  const texts = attached.map(({ attachment, bytes }) =>
    attachment.kind === 'text' && bytes !== null ? new TextDecoder().decode(bytes) : null,
  );
  const fitted = fitTexts(
    texts.filter((text) => text !== null),
    roomTokens,
  );
  let next = 0;
  return texts.map((text, index) => {
    const fit = text === null ? null : (fitted[next++] ?? null);
    return fit === null ? null : { ...fit, bytes: Math.max(fit.bytes, wholeBytes(attached[index]?.attachment)) };
  });
}

/** The full size of a text of which only the beginning was kept; 0 for any other. */
function wholeBytes(attachment: Attachment | undefined): number {
  return attachment?.kind === 'text' ? (attachment.chat?.bytes ?? 0) : 0;
}

/** The attachments as a model with this much room sees them, one part for each. A missing file is reported in its place. */
export function partsOf(attached: readonly AttachedFile[], roomTokens: number): readonly Part[] {
  const fitted = fitAttached(attached, roomTokens);
  return attached.map(({ attachment, bytes }, index) =>
    attachmentPart(attachment, bytes, toBase64, fitted[index] ?? undefined),
  );
}

/** The same for a model that sees: pages without text follow their document as pictures. */
export function seenPartsOf(attached: readonly AttachedFile[], roomTokens: number): readonly Part[] {
  return partsOf(attached, roomTokens).flatMap((part, index) => {
    const one = attached[index];
    return one?.scans === undefined ? [part] : [part, ...scanParts(one.attachment, one.scans, toBase64)];
  });
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The texts of which a model with this much room gets only the beginning. */
export function cutsOf(
  attached: readonly AttachedFile[],
  roomTokens: number,
): NonNullable<EventOf<'model-call-started'>['cut']> {
  const fitted = fitAttached(attached, roomTokens);
  return attached.flatMap(({ attachment: { name, blob } }, index) => {
    const fit = fitted[index] ?? null;
    if (fit === null || fit.shownBytes >= fit.bytes) return [];
    return [{ name, sha256: blob.sha256, bytes: fit.bytes, shownBytes: fit.shownBytes }];
  });
}

/** The task of a recipe: the message and its attached texts. */
export function taskWithTexts(task: string, attached: readonly AttachedFile[], roomTokens: number): string {
  const texts = partsOf(attached, roomTokens).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [task, ...texts].join('\n\n');
}
