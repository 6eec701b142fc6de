import type { Attachment, ChatFacts, DocumentFacts } from './attachment.ts';
import type { FittedText } from './fit-attachments.ts';
import { documentWords, hasParts, partOfMark, partsText } from '@shared/documents/document-text.ts';
import type { Part } from '@shared/models/model-messages.ts';

/** No service takes larger images. The user is told; Dewpoint never makes an image smaller by itself. */
export const maxImageBytes = 5 * 1024 * 1024;
export const maxImageSide = 8000;
/** A larger text is better read by the tools, piece by piece. */
export const maxTextBytes = 256 * 1024;
export const maxAttachments = 20;
/** The most pages without text that one document shows as pictures. */
export const maxScans = 8;
/** The largest file of any kind that is read. */
export const maxFileBytes = 8 * 1024 * 1024;

/** Whether a model must see pictures to get anything of one of these: it is an image, or a scan without any text. */
export function hasImage(attachments: readonly Attachment[] | undefined): boolean {
  return attachments?.some((one) => one.kind === 'image' || isScan(one)) === true;
}

function isScan(attachment: Attachment): boolean {
  const scans = scansOf(attachment);
  return attachment.kind === 'text' && scans.length > 0 && attachment.document?.blank === attachment.document?.read;
}

/** The pages without text that were drawn. */
export function scansOf(attachment: Attachment): NonNullable<DocumentFacts['scans']> {
  return attachment.kind === 'text' ? (attachment.document?.scans ?? []) : [];
}

/** The drawn pages of a document for a model that sees. Empty if their pictures are gone. */
export function scanParts(
  attachment: Attachment,
  bytes: readonly (Uint8Array | null)[],
  toBase64: (bytes: Uint8Array) => string,
): readonly Part[] {
  const drawn = scansOf(attachment).flatMap((scan, index) => {
    const picture = bytes[index] ?? null;
    return picture === null ? [] : [{ scan, picture }];
  });
  if (drawn.length === 0) return [];
  const pages = drawn.map(({ scan }) => scan.page).join(', ');
  const text = `Of ${attachment.name}, as data: these pages without text follow as pictures, in this order: ${pages}.`;
  const pictures = drawn.map(({ scan: { page, blob, width, height }, picture }): Part => {
    const name = `${attachment.name}, page ${page}`;
    return { type: 'image', mediaType: 'image/png', data: toBase64(picture), name, width, height, blob };
  });
  return [{ type: 'text', text }, ...pictures];
}

/** `a.py`, or `a.py (lines 3 to 9)`. */
export function attachmentLabel(attachment: Attachment): string {
  if (attachment.kind === 'image' || attachment.lines === undefined) return attachment.name;
  const { from, to } = attachment.lines;
  return `${attachment.name} (${from === to ? `line ${from}` : `lines ${from} to ${to}`})`;
}

/** Number of a document's pages, sheets or cells that begin in a text. */
export function pagesIn(text: string, { pages, kind = 'pdf' }: Pick<DocumentFacts, 'pages' | 'kind'>): number {
  if (!hasParts(kind)) return text === '' ? 0 : 1;
  const begun = text.split('\n').filter((line) => partOfMark(line, pages) !== null);
  return Math.min(pages, begun.length);
}

/**
 * An attachment as a model sees it. A null text means that its bytes are gone, and the part says so. `fitted`: how much
 * of it fits.
 */
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

function documentNote({ pages, read, kind = 'pdf', isCut = false }: DocumentFacts): string {
  const cut = isCut ? ', of which only the beginning is here' : '';
  if (!hasParts(kind)) return `the text of ${documentWords[kind]}${cut}`;
  const left = read < pages ? `, of which the first ${read} are here` : cut;
  const [word] = partsText(kind, 1).split(' ').slice(1);
  return `the text of ${documentWords[kind]} of ${partsText(kind, pages)}${left}; say the ${word} ("${word} 1") for what you take from it`;
}

function chatNote({ conversations }: ChatFacts): string {
  return `${conversations === 1 ? 'a conversation' : `${conversations} conversations, newest first`}, as text, from the export of a chat app`;
}

/** Length of the longest run of backticks, so that no text can end the code block that holds it. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}
