import type { Attachment } from '@shared/attachments/attachment.ts';
import type { CitedPart, CitedPlace } from '@shared/documents/cited-part.ts';
import { blankPageText, markedParts, maxDocumentBytes, mostTextBytes } from '@shared/documents/document-text.ts';
import type { SessionProject } from '@shared/projects/project-keys.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { isDocumentName, isNotebookName, packedDocument } from '../lib/files/document-kind.ts';
import { fileText } from '../lib/files/file-text.ts';
import type { FileContent, SandboxFiles } from '../sandbox/sandbox.ts';
import type { Blobs } from '../sessions/blobs/blob-store.ts';
import { citedPart, type ReadText } from './cited-parts.ts';
import type { DrawPage, ReadDocument } from './read-document.ts';

export interface DocumentPlacesOptions {
  readonly readDocument: ReadDocument;
  readonly drawPage: DrawPage;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly stateOf: (
    sessionId: string,
  ) => Promise<Pick<SessionState, 'workspace' | 'projectPath' | 'project' | 'messages'>>;
  /** The files of a workspace without those that are hidden from models. */
  readonly filesOf: (
    place: { readonly workspacePath: string } & SessionProject,
    signal: AbortSignal,
  ) => Promise<Pick<SandboxFiles, 'read'>>;
}

/** Places in the documents of a session: files of its workspace, or attachments of its messages. */
export interface DocumentPlaces {
  readonly find: (sessionId: string, places: readonly CitedPlace[], signal: AbortSignal) => Promise<readonly boolean[]>;
  /** Null: there is no such place. */
  readonly show: (sessionId: string, place: CitedPlace, signal: AbortSignal) => Promise<CitedPart | null>;
}

/** The texts of so many documents are kept: an answer cites the same ones again and again. */
const keptTexts = 8;

export function createDocumentPlaces(options: DocumentPlacesOptions): DocumentPlaces {
  const kept = new Map<string, ReadText>();
  const textOf = async (path: string, content: FileContent, signal: AbortSignal): Promise<ReadText | null> => {
    const key = `${isNotebookName(path)} ${isTableName(path)} ${content.sha256}`;
    const known = kept.get(key);
    const text = known ?? (await readText(path, content, options.readDocument, signal));
    // A document that took too long may be read the next time.
    if (text === null) return null;
    kept.delete(key);
    kept.set(key, text);
    for (const [oldest] of kept) if (kept.size > keptTexts) kept.delete(oldest);
    return text;
  };
  const open = async (sessionId: string, signal: AbortSignal) => {
    const { workspace, projectPath, project, messages } = await options.stateOf(sessionId);
    const given = messages.flatMap(({ attachments = [] }) => attachments).reverse();
    const place = { projectPath, ...(project === undefined ? {} : { project }) };
    const files =
      workspace === null ? null : await options.filesOf({ workspacePath: workspace.path, ...place }, signal);
    return async (place: CitedPlace): Promise<FoundPart | null> => {
      const { path } = place;
      const limit = isDocumentName(path) ? maxDocumentBytes : mostTextBytes;
      const read = await files?.read(path, { maxBytes: limit }, signal);
      signal.throwIfAborted();
      const attachment = given.find(({ name }) => name === path);
      const text = read?.ok === true ? await textOf(path, read.value, signal) : await attachedText(options, attachment);
      const part = text === null ? null : citedPart(text, place);
      return part === null ? null : { part, bytes: read?.ok === true ? read.value.bytes : null };
    };
  };
  return {
    find: async (sessionId, places, signal) => {
      const partOf = await open(sessionId, signal);
      const found: boolean[] = [];
      // One after the other: each document may take a process of its own.
      for (const place of places) found.push((await partOf(place)) !== null);
      return found;
    },
    show: async (sessionId, place, signal) => {
      const found = await (await open(sessionId, signal))(place);
      return found === null ? null : withPicture(found, options.drawPage, signal);
    },
  };
}

interface FoundPart {
  readonly part: CitedPart;
  /** Null: only the text of the document was kept. */
  readonly bytes: Uint8Array | null;
}

/** A page without text is shown as a picture, as far as it can be drawn. */
async function withPicture({ part, bytes }: FoundPart, draw: DrawPage, signal: AbortSignal): Promise<CitedPart> {
  const isBlank = part.part?.word === 'page' && part.lines.length === 1 && part.lines[0] === blankPageText;
  if (!isBlank || bytes === null || part.part === null) return part;
  const { number } = part.part;
  const drawn = await draw(bytes, { page: number, signal });
  signal.throwIfAborted();
  if (!drawn.ok) return part;
  const data = Buffer.from(drawn.png).toString('base64');
  return { ...part, picture: { path: `${part.path}, page ${number}`, mediaType: 'image/png', data } };
}

const isTableName = (path: string): boolean => /\.(?:csv|tsv)$/iu.test(path);

async function readText(
  path: string,
  { bytes }: FileContent,
  read: ReadDocument,
  signal: AbortSignal,
): Promise<ReadText | null> {
  const packed = packedDocument(bytes);
  const byName = isNotebookName(path) ? 'notebook' : isTableName(path) ? 'csv' : null;
  const kind = packed?.kind ?? byName;
  if (kind !== null && (packed?.why ?? null) === null) {
    const found = await read(bytes, { kind, signal, mostBytes: mostTextBytes });
    signal.throwIfAborted();
    if (found.ok) return { kind, pages: found.pages, text: markedParts(kind, found).join('\n').trimEnd() };
  }
  const text = packed === null ? fileText(bytes) : null;
  return text === null ? null : { kind: null, pages: 1, text: text.text };
}

/** The text of an attached document, as it was given. */
async function attachedText(
  { blobs }: Pick<DocumentPlacesOptions, 'blobs'>,
  attachment: Attachment | undefined,
): Promise<ReadText | null> {
  if (attachment?.kind !== 'text' || attachment.lines !== undefined) return null;
  const bytes = await blobs.get(attachment.blob);
  if (bytes === null) return null;
  const { kind = 'pdf', pages } = attachment.document ?? { kind: null, pages: 1 };
  return { kind: attachment.document === undefined ? null : kind, pages, text: new TextDecoder().decode(bytes) };
}
