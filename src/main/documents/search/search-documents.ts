import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentKind } from '@shared/documents/document-text.ts';
import {
  noVectorModel,
  type FoundInDocuments,
  type SearchedBy,
  type VectorProgress,
} from '@shared/documents/document-search.ts';
import { markedParts, maxDocumentBytes, mostTextBytes } from '@shared/documents/document-text.ts';
import { failure, success, type Reply } from '@shared/errors.ts';
import { isDocumentName, isNotebookName, packedDocument } from '../../lib/files/document-kind.ts';
import { fileText } from '../../lib/files/file-text.ts';
import { noteFailure } from '../../lib/log.ts';
import type { FileContent, SandboxFiles, ScannedFile } from '../../sandbox/sandbox.ts';
import type { ReadDocument } from '../read-document.ts';
import { besideChosen, isChosenPath, type ChosenFolder } from './chosen-folders.ts';
import type { IndexedFile } from './chunk-index.ts';
import { openIndex, type IndexClient, type IndexOptions } from './index-client.ts';
import { listedFiles, type PreparedSearch, type VectorWork } from './make-vectors.ts';

interface AskedSearch {
  readonly words: string;
  readonly limit: number;
  /** Folders outside the project that are searched, too. */
  readonly chosen?: readonly ChosenFolder[];
  /** Makes the vectors before the search, and is told how far they are. Absent: they are made after it. */
  readonly onVectors?: ((progress: VectorProgress) => void) | undefined;
}

/** Finds the parts of a project's documents that fit some words best. It reads what changed since the last time. */
export type SearchDocuments = (
  files: Pick<SandboxFiles, 'scan' | 'readMany' | 'read'>,
  asked: AskedSearch,
  signal: AbortSignal,
) => Promise<Reply<FoundInDocuments>>;

export interface SearchDocumentsOptions extends IndexOptions {
  readonly readDocument: ReadDocument;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly budgetMs?: number;
  /** Absent: the search goes by words alone. */
  readonly vectors?: Pick<VectorWork, 'prepare' | 'begin' | 'makeAll'>;
}

const usualBudgetMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;
/** Today, as an index counts it. */
export const indexDay = (now: () => number): number => Math.floor(now() / dayMs);
const mostDocuments = 20_000;
/** Read at once. Each batch is short for the process that reads it, and the index is written batch by batch. */
const batchFiles = 64;
const batchBytes = 256 * 1024;

/** Prose, a page or a table, and what `read_file` reads as one. */
function isDocument(path: string): boolean {
  return isDocumentName(path) || /\.(?:md|mdx|markdown|rst|adoc|txt|org|html?|csv|tsv)$/iu.test(path);
}

/** With fewer of them, reading them is as quick as searching them. */
const leastProse = 12;

/** Whether a project has documents that are worth a search of their own: files that no text search reads, or many texts. */
export function hasDocuments(paths: readonly string[]): boolean {
  const documents = paths.filter((path) => isDocument(path));
  return documents.length >= leastProse || documents.some((path) => isDocumentName(path) && !isNotebookName(path));
}

const wordsAlone: PreparedSearch = { by: { type: 'words', why: noVectorModel }, query: null };

export function createSearchDocuments(options: SearchDocumentsOptions): SearchDocuments {
  const late = new Set<string>();
  return async (own, { words, limit, onVectors, chosen = [] }, signal) => {
    const unread = new Set<string>();
    const files = besideChosen(own, chosen, (name) => unread.add(name));
    const index = openIndex(options, indexDay(options.now), signal);
    try {
      // What is removed from the search from here on is not taken in by this one.
      await index.take([]);
      const scanned = await files.scan(signal);
      if (!scanned.ok) return scanned;
      const every = chosen.filter(({ takesEveryText }) => takesEveryText === true);
      const { documents, isFull } = documentsIn(
        scanned.value.files,
        (path) => isDocument(path) || isChosenPath(every, path),
      );
      const outside = documents.filter(({ path }) => isChosenPath(chosen, path)).length;
      const left = await takeIn(index, { options, files, sizes: scanned.value.files, late }, documents, signal);
      const why = onVectors && (await options.vectors?.makeAll(documents, onVectors, signal));
      const prepared = await options.vectors?.prepare(index, { words, files: documents }, signal);
      const { by, query } = withReason(prepared ?? wordsAlone, why ?? null);
      const chunks = await index.find(words, limit, query ?? undefined);
      if (areMadeNext(by)) options.vectors?.begin(documents);
      const beside = chosen.length === 0 ? {} : { outside };
      const missing = unread.size === 0 ? {} : { unread: [...unread] };
      const cut = isFull || scanned.value.isCut === true ? { isCut: true as const } : {};
      return success({ chunks, documents: documents.length, left, by, ...beside, ...missing, ...cut });
    } catch (error) {
      signal.throwIfAborted();
      noteFailure('The documents were not searched', error);
      return failure('internal', 'The documents were not searched: their index did not answer.', 'Search again.');
    } finally {
      index.close();
    }
  };
}

/** Who waited for the vectors hears why they were not made, and those that are there are used all the same. */
function withReason({ by, query }: PreparedSearch, why: string | null): PreparedSearch {
  if (why === null) return { by, query };
  return by.type === 'meaning' ? { by: { ...by, why }, query } : { by: { type: 'words', why }, query: null };
}

/** What failed just now would fail again. The next search tries it once more. */
function areMadeNext(by: SearchedBy): boolean {
  if (by.type === 'words' || (by.type === 'meaning' && by.why !== undefined)) return false;
  return by.done < by.of;
}

function documentsIn(
  files: ReadonlyMap<string, ScannedFile>,
  isTaken: (path: string) => boolean,
): { readonly documents: readonly IndexedFile[]; readonly isFull: boolean } {
  const documents: IndexedFile[] = [];
  for (const [path, { sizeBytes, fingerprint }] of files) {
    const most = isDocumentName(path) ? maxDocumentBytes : mostTextBytes;
    if (sizeBytes === 0 || sizeBytes > most || !isTaken(path)) continue;
    if (documents.length === mostDocuments) return { documents, isFull: true };
    documents.push({ path, fingerprint });
  }
  return { documents, isFull: false };
}

interface Taking {
  readonly options: SearchDocumentsOptions;
  readonly files: Pick<SandboxFiles, 'readMany'>;
  readonly sizes: ReadonlyMap<string, ScannedFile>;
  /** Those that took too long once. The machine may have been busy, so the next search reads them again, once. */
  readonly late: Set<string>;
}

/** Reads what the index lacks. Returns how many documents are left, because the time was up. */
async function takeIn(
  index: IndexClient,
  { options, files, sizes, late }: Taking,
  documents: readonly IndexedFile[],
  signal: AbortSignal,
): Promise<number> {
  const until = options.now() + (options.budgetMs ?? usualBudgetMs);
  const missing: IndexedFile[] = [];
  for (let at = 0; at < documents.length; at += listedFiles)
    missing.push(...(await index.take(documents.slice(at, at + listedFiles))));
  let done = 0;
  for (const batch of batchesOf(missing, sizes)) {
    if (done > 0 && options.now() > until) return missing.length - done;
    const maxBytes = Math.max(...batch.map(({ path }) => sizes.get(path)?.sizeBytes ?? 0), 1);
    const read = await files.readMany(
      batch.map(({ path }) => path),
      { maxBytes },
      signal,
    );
    signal.throwIfAborted();
    if (!read.ok) throw new Error(read.error.message);
    const texts: (IndexedFile & { readonly text: string })[] = [];
    for (const file of batch) {
      const found = await textOf(file.path, read.value.get(file.path), options.readDocument, signal);
      const key = `${file.fingerprint} ${file.path}`;
      const isAgain = found.isLate && !late.has(key);
      if (isAgain) late.add(key);
      // Under another fingerprint it is found now, and missing the next time.
      texts.push({ ...file, text: found.text, ...(isAgain ? { fingerprint: `${file.fingerprint} late` } : {}) });
      // A text is decoded here. Others go on in between.
      await nextTurn();
    }
    await index.add(texts);
    done += batch.length;
  }
  return 0;
}

function* batchesOf(files: readonly IndexedFile[], sizes: Taking['sizes']): Generator<readonly IndexedFile[]> {
  let batch: IndexedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = sizes.get(file.path)?.sizeBytes ?? 0;
    if (batch.length > 0 && (batch.length === batchFiles || bytes + size > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

interface IndexedText {
  readonly text: string;
  /** It took too long, or it was gone, so the text is not all of it. */
  readonly isLate: boolean;
}

const inTime = (text: string): IndexedText => ({ text, isLate: false });

/**
 * Empty for a file that is damaged or no text: it is not looked at again until it changes. One that is gone may come
 * back as it was, such as by a checkout of another branch, so it counts as late.
 */
async function textOf(
  path: string,
  content: FileContent | undefined,
  read: ReadDocument,
  signal: AbortSignal,
): Promise<IndexedText> {
  if (content === undefined) return { text: '', isLate: true };
  const packed = packedDocument(content.bytes);
  const kind: DocumentKind | null = packed?.kind ?? (isNotebookName(path) ? 'notebook' : null);
  if (kind === null) return inTime(fileText(content.bytes)?.text ?? '');
  if (packed !== null && packed.why !== null) return inTime('');
  const found = await read(content.bytes, { kind, signal, mostBytes: mostTextBytes });
  signal.throwIfAborted();
  if (!found.ok) return { text: '', isLate: found.why === 'too-hard' };
  const text = markedParts(kind, found).join('\n').trimEnd();
  // A PDF ends early where its time or the room is up.
  const isLate = kind === 'pdf' && found.texts.length < found.pages && Buffer.byteLength(text) < mostTextBytes;
  return { text, isLate };
}
