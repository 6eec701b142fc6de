import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import {
  markedParts,
  maxDocumentBytes,
  mostTextBytes,
  tooLargeText,
  whyUnread,
} from '@shared/documents/document-text.ts';
import { knowledgeTokens, type KnowledgeSource } from '@shared/documents/knowledge.ts';
import { AppError, failure, messageOf, success, toFailure, type Reply } from '@shared/errors.ts';
import { isDeviceName } from '@shared/git/clone-folder-name.ts';
import { isDocumentName, isNotebookName, packedDocument } from '../../lib/files/document-kind.ts';
import { fileText } from '../../lib/files/file-text.ts';
import { errorCodeOf, isMissing } from '../../lib/files/json-file.ts';
import type { ReadDocument } from '../read-document.ts';
import type { NewKnowledge } from './knowledge-files.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/** A page as it was fetched. `text`: its content as Markdown, for what is no document of its own. */
export interface FetchedPage {
  /** After all redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
  readonly text: () => Promise<Reply<string>>;
}

export interface SourceReaders {
  readonly readDocument: ReadDocument;
  /** Fetches an address that the person named. Its host is asked, and no other. */
  readonly fetchPage: (url: string, projectPath: string, signal: AbortSignal) => Promise<Reply<FetchedPage>>;
  /** Why a file may not be copied into the knowledge of a project, in a sentence; null: it may. */
  readonly whyNot: (projectPath: string, path: string) => Promise<string | null>;
  readonly now: () => number;
}

/** Reads a source, so that only what can be read is kept. A failure says why nothing was added. */
export async function readSource(
  readers: SourceReaders,
  { projectPath, source }: { readonly projectPath: string; readonly source: KnowledgeSource },
  signal: AbortSignal,
): Promise<Reply<NewKnowledge>> {
  const found = await (source.type === 'file'
    ? fileOf(readers, projectPath, source.path)
    : pageOf(readers, { projectPath, url: source.url }, signal));
  signal.throwIfAborted();
  if (!found.ok) return found;
  const { name, bytes } = found.value;
  const read = await textOf(readers, found.value, signal);
  signal.throwIfAborted();
  if (!read.ok) return read;
  const { kind, pages, text } = read.value;
  if (text.trim() === '') return failure('bad-input', whyBlank(name, kind));
  return success({ name, bytes, from: source, kind, pages, tokens: knowledgeTokens(text), addedAt: readers.now() });
}

/** Only a PDF may be pictures of pages. */
function whyBlank(name: string, kind: NewKnowledge['kind']): string {
  if (kind === null) return `${name} is empty.`;
  return kind === 'pdf' ? `${name} has no text. It may be pictures of pages.` : `${name} has no text.`;
}

interface Found {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A pipe without a writer would wait for one. */
const readWithoutWait = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

async function fileOf(readers: SourceReaders, projectPath: string, path: string): Promise<Reply<Found>> {
  const name = cleanName(basename(path));
  if (!isAbsolute(path) || name === '') return failure('bad-input', `${path} is no whole path.`);
  const why = await readers.whyNot(projectPath, path);
  if (why !== null) return failure('refused', why);
  try {
    return await askDrive(path, () => readOnDrive(path, name));
  } catch (error) {
    if (isMissing(error)) return failure('not-found', `${path} was not found.`);
    if (error instanceof AppError) return { ok: false, error: toFailure(error) };
    const isRefused = ['EACCES', 'EPERM'].includes(errorCodeOf(error) ?? '');
    return failure('bad-input', `${name} was not read: ${isRefused ? 'you may not read it' : messageOf(error)}.`);
  }
}

async function readOnDrive(path: string, name: string): Promise<Reply<Found>> {
  const file = await open(path, readWithoutWait);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) {
      const hint = `Search the whole folder instead: dewpoint projects folders add FOLDER`;
      return failure('bad-input', `${name} is a folder.`, hint);
    }
    if (!stats.isFile()) return failure('bad-input', `${name} is no file.`);
    const most = isDocumentName(name) ? maxDocumentBytes : mostTextBytes;
    if (stats.size > most) return failure('too-large', tooLargeText(name, most));
    return success({ name, bytes: await file.readFile() });
  } finally {
    await file.close();
  }
}

/** What is a document of its own stays one, so that its pages can be cited. Everything else becomes Markdown. */
async function pageOf(
  readers: SourceReaders,
  { projectPath, url }: { readonly projectPath: string; readonly url: string },
  signal: AbortSignal,
): Promise<Reply<Found>> {
  const fetched = await readers.fetchPage(url, projectPath, signal);
  if (!fetched.ok) {
    const { code, message, hint = 'If you can open the page, save it as a file and add that.' } = fetched.error;
    return failure(code, message, hint);
  }
  const { bytes, isCut } = fetched.value;
  const packed = packedDocument(bytes);
  const stem = nameOfAddress(fetched.value.url);
  if (packed !== null) {
    if (isCut) return failure('too-large', tooLargeText(url, bytes.length));
    return success({ name: `${stem}${endings[packed.kind] ?? ''}`, bytes });
  }
  const text = await fetched.value.text();
  if (!text.ok) return text;
  const date = new Date(readers.now()).toISOString().slice(0, 10);
  return success({ name: `${stem}.md`, bytes: new TextEncoder().encode(`[Kept on ${date}.]\n${text.value}\n`) });
}

const endings: Readonly<Record<string, string>> = { pdf: '.pdf', word: '.docx', excel: '.xlsx' };

function nameOfAddress(url: string): string {
  const { host, pathname } = new URL(url);
  const words = decodedPath(pathname)
    .split('/')
    .filter((part) => part !== '')
    .slice(-2)
    .join('-')
    .replace(/\.(?:html?|pdf|md|txt|docx|xlsx)$/iu, '');
  return cleanName(
    `${host.replace(/^www\./u, '')}${words === '' ? '' : `-${words}`}`.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-'),
  );
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A path that is no encoded text is a name all the same.
    return path;
  }
}

/** In bytes: file systems take 255, and a number may follow. */
const longestName = 200;

/** A name that is one on every system, and that can be cited. */
function cleanName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/]+/gu, '-')
    .replace(/^[.\s]+/u, '')
    .replace(/(?<![.\s])[.\s]+$/u, '');
  const own = isDeviceName(plain) ? `_${plain}` : plain;
  const dot = own.lastIndexOf('.');
  const ending = dot > 0 && own.length - dot <= 8 ? own.slice(dot) : '';
  const letters = Array.from(own.slice(0, own.length - ending.length));
  let left = longestName - Buffer.byteLength(ending);
  const end = letters.findIndex((letter) => (left -= Buffer.byteLength(letter)) < 0);
  return `${(end < 0 ? letters : letters.slice(0, end)).join('')}${ending}`;
}

interface ReadText extends Pick<NewKnowledge, 'kind' | 'pages'> {
  readonly text: string;
}

/** The text of a document, with a mark before each page. Fails for what is no document and no text. */
export async function textOf(
  { readDocument }: Pick<SourceReaders, 'readDocument'>,
  { name, bytes }: Found,
  signal: AbortSignal,
): Promise<Reply<ReadText>> {
  const packed = packedDocument(bytes);
  const kind = packed?.kind ?? (isNotebookName(name) ? 'notebook' : null);
  if (kind === null) {
    const text = fileText(bytes);
    if (text === null) return failure('bad-input', `${name} is no document and no text.`);
    return success({ kind: null, pages: 1, text: text.text });
  }
  const early = packed?.why ?? null;
  if (early !== null) return unread(name, kind, early);
  const read = await readDocument(bytes, { kind, signal, mostBytes: mostTextBytes });
  if (!read.ok) return unread(name, kind, read.why);
  const isBlank = read.texts.every((one) => one.trim() === '');
  return success({ kind, pages: read.pages, text: isBlank ? '' : markedParts(kind, read).join('\n') });
}

function unread(...[name, kind, why]: Parameters<typeof whyUnread>): Reply<never> {
  const { what, advice } = whyUnread(name, kind, why);
  return failure('bad-input', what, advice);
}
