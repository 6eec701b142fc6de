import { z } from 'zod';
import { maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { DocumentKind, DocumentText, UnreadReason } from '@shared/documents/document-text.ts';
import { mostTextBytes, unreadReasons } from '@shared/documents/document-text.ts';
import { readImageFacts } from '../lib/files/image-facts.ts';
import { answerIn, runParser, usualProcessorMs, type DocumentReaderOptions } from './run-parser.ts';

/** Reads a document. A web page is in UTF-8, and comes from `url`. After an abort: `too-hard`. */
export type ReadDocument = (bytes: Uint8Array, asked: AskedDocument) => Promise<DocumentText>;

export interface AskedDocument {
  readonly kind: DocumentKind;
  readonly url?: string;
  readonly signal?: AbortSignal;
  /** Reads no further after this much text. Default: what a message may hold. */
  readonly mostBytes?: number;
}

/** Draws a page of a PDF, counted from 1. */
export type DrawPage = (
  bytes: Uint8Array,
  asked: { readonly page: number; readonly signal?: AbortSignal },
) => Promise<DrawnPage>;

export type DrawnPage =
  | {
      readonly ok: true;
      readonly pages: number;
      readonly png: Uint8Array;
      readonly width: number;
      readonly height: number;
    }
  /** `pages`: it has no page of this number. */
  | { readonly ok: false; readonly why: UnreadReason | 'no-page'; readonly pages?: number };

/** Room for JSON escapes, and for the last page. */
const answerFactor = 16;
/** As Base64. No page of the size that is drawn needs more. */
const mostPictureCharacters = 16 * 1024 * 1024;

const answerSchema = z.union([
  z.object({ why: z.enum(unreadReasons) }),
  z.object({
    pages: z.number().int().positive(),
    texts: z.array(z.string()),
    names: z.array(z.string()).optional(),
    isCut: z.literal(true).optional(),
  }),
]);

const drawnSchema = z.union([
  z.object({ why: z.enum(unreadReasons) }),
  z.object({ pages: z.number().int().positive(), png: z.base64().optional() }),
]);

/** Reads the text of an untrusted file in a process of its own. */
export function createDocumentReader(options: DocumentReaderOptions): ReadDocument {
  return async (bytes, { kind, url, signal, mostBytes: wanted = maxTextBytes }) => {
    const mostBytes = Math.min(wanted, mostTextBytes);
    const { mostProcessorMs = usualProcessorMs } = options;
    // A PDF ends early, before its reader is ended.
    const args = [kind, String(mostBytes), String(mostProcessorMs / 2), ...(url === undefined ? [] : [url])];
    const end = await runParser(options, { args, bytes, mostCharacters: mostBytes * answerFactor, signal });
    if ('why' in end) return { ok: false, why: end.why };
    const { data } = answerSchema.safeParse(answerIn(end.heard));
    if (data === undefined) return { ok: false, why: 'broken' };
    if ('why' in data) return { ok: false, why: data.why };
    const { pages, texts, names, isCut } = data;
    return { ok: true, pages, texts, ...(names === undefined ? {} : { names }), ...(isCut === true ? { isCut } : {}) };
  };
}

/** Draws pages of an untrusted file in a process of its own, within the same limits. */
export function createPageDrawer(options: DocumentReaderOptions): DrawPage {
  return async (bytes, { page, signal }) => {
    const asked = { args: ['draw', String(page)], bytes, mostCharacters: mostPictureCharacters, signal };
    const end = await runParser(options, asked);
    if ('why' in end) return { ok: false, why: end.why };
    const { data } = drawnSchema.safeParse(answerIn(end.heard));
    if (data === undefined) return { ok: false, why: 'broken' };
    if ('why' in data) return { ok: false, why: data.why };
    if (data.png === undefined) return { ok: false, why: 'no-page', pages: data.pages };
    const png = new Uint8Array(Buffer.from(data.png, 'base64'));
    const facts = readImageFacts(png);
    if (facts?.mediaType !== 'image/png') return { ok: false, why: 'broken' };
    return { ok: true, pages: data.pages, png, width: facts.width, height: facts.height };
  };
}
