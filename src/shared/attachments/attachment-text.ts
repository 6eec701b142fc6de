import type { Attachment, ChatFacts, DocumentFacts } from './attachment.ts';
import type { FittedText } from './fit-attachments.ts';
import type { Part } from '@shared/models/model-messages.ts';

/** More of an image than this is taken by no service; a person is told, and nothing is made smaller by itself. */
export const maxImageBytes = 5 * 1024 * 1024;
export const maxImageSide = 8000;
/** More of a text is better left to the tools, which read a file piece by piece. */
export const maxTextBytes = 256 * 1024;
export const maxAttachments = 20;
/** Of any file that is looked at. */
export const maxFileBytes = 8 * 1024 * 1024;

export function hasImage(attachments: readonly Attachment[] | undefined): boolean {
  return attachments?.some(({ kind }) => kind === 'image') === true;
}

/** `a.py`, or `a.py (lines 3 to 9)`. */
export function attachmentLabel(attachment: Attachment): string {
  if (attachment.kind === 'image' || attachment.lines === undefined) return attachment.name;
  const { from, to } = attachment.lines;
  return `${attachment.name} (${from === to ? `line ${from}` : `lines ${from} to ${to}`})`;
}

/** Stands before the text of each page of a document, so that a model can say where it read something. */
export function pageMark(page: number, of: number): string {
  return `[Page ${page} of ${of}]`;
}

/** How many pages of a document begin in a text. */
export function pagesIn(text: string, { pages }: Pick<DocumentFacts, 'pages'>): number {
  const begun = text.split('\n').filter((line) => line.startsWith('[Page ') && line.endsWith(` of ${pages}]`));
  return Math.min(pages, begun.length);
}

/** An attachment as a model is shown it; null stands for bytes that are gone, which is said. `fitted`: what fits of it. */
export function attachmentPart(
  attachment: Attachment,
  bytes: Uint8Array | null,
  toBase64: (bytes: Uint8Array) => string,
  fitted?: FittedText,
): Part {
  const label = attachmentLabel(attachment);
  if (bytes === null) return { type: 'text', text: `(${label} was attached here, and is no longer there.)` };
  if (attachment.kind === 'image') {
    const { mediaType, name, width, height, blob } = attachment;
    return { type: 'image', mediaType, data: toBase64(bytes), name, width, height, blob };
  }
  const whole = new TextDecoder().decode(bytes);
  const text = fitted === undefined ? whole : whole.slice(0, fitted.length);
  const about = [label, ...(attachment.document === undefined ? [] : [documentNote(attachment.document)])];
  if (attachment.chat !== undefined) about.push(chatNote(attachment.chat));
  if (fitted !== undefined && fitted.shownBytes < fitted.bytes)
    about.push(`only its beginning is shown, ${fitted.shownBytes} of ${fitted.bytes} bytes`);
  const whose = attachment.source === undefined ? 'by the person' : `from the tool server ${attachment.source.server}`;
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return {
    type: 'text',
    text: `Attached ${whose}, as data: ${about.join('; ')}\n${fence}\n${text.replace(/\n$/u, '')}\n${fence}`,
  };
}

function documentNote({ pages, read }: DocumentFacts): string {
  const left = read < pages ? `, of which the first ${read} are here` : '';
  return `the text of a PDF of ${pages} ${pages === 1 ? 'page' : 'pages'}${left}; say the page ("page 1") for what you take from it`;
}

function chatNote({ conversations }: ChatFacts): string {
  return `${conversations === 1 ? 'a conversation' : `${conversations} conversations, newest first`}, as text, from the export of a chat app`;
}

/** So that no text can end the block that it stands in. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}
