import type { Attachment } from '@shared/attachments/attachment.ts';
import { attachmentPart } from '@shared/attachments/attachment-text.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { Journal } from '../../sessions/journal/journal.ts';

/** What a person gave with a message, as a model is shown it; bytes that are gone are said to be. */
export async function attachedParts(
  journal: Pick<Journal, 'getBlob'>,
  attachments: readonly Attachment[] | undefined,
): Promise<readonly Part[]> {
  return Promise.all(
    (attachments ?? []).map(async (one) =>
      attachmentPart(one, await journal.getBlob(one.blob), (bytes) => Buffer.from(bytes).toString('base64')),
    ),
  );
}

/** How much of attached texts a program is given, which asks a small model one thing at a time. In characters. */
const FOR_RECIPES = 6000;

/** The task of a program: the message, and the texts that came with it. */
export function taskWithTexts(task: string, parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length === 0) return task;
  const all = texts.join('\n\n');
  const left = all.length - FOR_RECIPES;
  const shown = left > 0 ? `${all.slice(0, FOR_RECIPES)}\n[${left} more characters are left out here.]` : all;
  return `${task}\n\n${shown}`;
}
