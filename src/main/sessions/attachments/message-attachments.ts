import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Attachment, LineRange } from '@shared/attachments/attachment.ts';
import {
  maxAttachments,
  maxFileBytes,
  maxImageBytes,
  maxImageSide,
  maxTextBytes,
} from '@shared/attachments/attachment-text.ts';
import type {
  AttachmentPreview,
  ExportFile,
  FilePlace,
  FoundFile,
  KeptFile,
  PreviewedMessage,
  TakenPrompt,
} from '@shared/attachments/attachment-inputs.ts';
import type { ChatListing } from '@shared/attachments/chat-listing.ts';
import type { FileLook } from '@shared/events/tool-events.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { compileFences } from '@shared/safety/fences.ts';
import { pictureFault } from '../../lib/files/picture-faults.ts';
import { readImageFacts } from '../../lib/files/image-facts.ts';
import type { Mention } from '@shared/attachments/file-mentions.ts';
import { looksLikePath, mentionOf, mentionsIn } from '@shared/attachments/file-mentions.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { createLookAtFiles } from '../../safety/file-look.ts';
import { isSecretFile } from '../../sandbox/workspace/secret-files.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import type { HiddenFromReading } from '../../sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from '../../sandbox/read-only/read-only-sandbox.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import {
  fittingResources,
  resourceMention,
  resourceMentionsIn,
  type FoundPrompt,
  type FoundResource,
} from '@shared/tools/found-offers.ts';
import { readPrompt, readResource, type LibraryReach, type Part } from './read-resource.ts';
import { createMentionableFiles } from './mentionable-files.ts';
import { findSymbols, isNamed, withSymbols } from './find-symbols.ts';
import { previewAttachments } from './preview-attachments.ts';
import type { PreviewOptions } from './preview-attachments.ts';
import { packedDocument } from '../../lib/files/document-kind.ts';
import type { DrawPage, ReadDocument } from '../../documents/read-document.ts';
import { listChats, readChats } from './chat-export.ts';
import type { ChatText } from './chat-text.ts';
import { chatText } from './chat-text.ts';
import { keepDocument, textDocument } from './keep-document.ts';
import { checkAttachment, eachOnce, sourceOf } from './check-attachment.ts';
import { insideOf, refuseHidden, whyHidden, type HiddenReach } from './hidden-files.ts';
import { textOfFile, unlikeItsName } from './text-of-file.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

export interface AttachmentsOptions extends LibraryReach, HiddenReach {
  readonly blobs: Blobs;
  /** Removes secrets from a text before it is stored. */
  readonly redact: (text: string) => string;
  readonly stateOf: (sessionId: string) => Promise<SessionState>;
  readonly readDocument: ReadDocument;
  /** Draws a page without text. Absent: no page is drawn. */
  readonly drawPage?: DrawPage;
  readonly preview: Pick<PreviewOptions, 'models' | 'settings'>;
}

/** What a message brings along, gathered before it is sent. */
export interface GatheredAttachments {
  readonly attachments: readonly Attachment[];
  /** What could not be attached, one sentence each. */
  readonly notes: readonly string[];
}

/** Attached files: stores them, reads them again, finds them by name, and reads those that a text mentions. */
export interface MessageAttachments {
  /** Stores what the user attaches. Rejects with `bad-input` for content that cannot be shown to any model. */
  readonly keep: (file: KeptFile) => Promise<Attachment>;
  /** The conversations in an export of a chat app. Null: the file is not an export. */
  readonly chats: (file: ExportFile, signal: AbortSignal) => Promise<ChatListing | null>;
  /** Stores the conversations with these ids, each as its own attachment. */
  readonly keepChats: (file: ExportFile, ids: readonly string[], signal: AbortSignal) => Promise<readonly Attachment[]>;
  /** An image. Null if it is gone, or is not an image. */
  readonly read: (blob: BlobRef) => Promise<{ readonly mediaType: string; readonly data: string } | null>;
  /** Files and folders by name, and symbols in files that may leave this machine. */
  readonly find: (
    place: FilePlace,
    query: { readonly text: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly FoundFile[]>;
  /** Resources of tool servers that can be attached. */
  readonly resources: (
    place: FilePlace | null,
    query: { readonly text: string; readonly limit: number },
  ) => Promise<readonly FoundResource[]>;
  /** Attaches a resource of a tool server. Rejects if there is none, or none that can be shown to a model. */
  readonly keepResource: (
    place: FilePlace | null,
    from: { readonly server: string; readonly uri: string },
    signal: AbortSignal,
  ) => Promise<readonly Attachment[]>;
  readonly prompts: (place: FilePlace | null) => Promise<readonly FoundPrompt[]>;
  /** A prompt of a tool server as a text to send. Rejects like `keepResource`. */
  readonly takePrompt: (
    place: FilePlace | null,
    asked: { readonly server: string; readonly name: string; readonly values: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<TakenPrompt>;
  /** What a model would get of a message before it is sent. */
  readonly preview: (message: PreviewedMessage, signal: AbortSignal) => Promise<AttachmentPreview>;
  /** Checks the attachments that a host names, and reads what the text mentions. Rejects with `bad-input`. */
  readonly gather: (
    sessionId: string,
    message: { readonly text: string; readonly given: readonly Attachment[] },
    signal: AbortSignal,
  ) => Promise<GatheredAttachments>;
}

const FOLDER_ENTRIES = 300;

export function createMessageAttachments(options: AttachmentsOptions): MessageAttachments {
  const mentionable = createMentionableFiles(filesOf);
  return {
    keep: (file) => keepFile(options, file),
    chats: (file, signal) => listChats(sourceOf(file), signal),
    keepChats: (file, ids, signal) => keepSomeChats(options, file, ids, signal),
    read: async (blob) => {
      const bytes = await options.blobs.get(blob);
      const facts = bytes === null ? null : readImageFacts(bytes);
      return bytes === null || facts === null
        ? null
        : { mediaType: facts.mediaType, data: Buffer.from(bytes).toString('base64') };
    },
    find: async (place, { text, limit }, signal) => {
      const { root, projectPath, recent } = await rootOf(options, place);
      const fences = compileFences({ settings: await options.fences(projectPath), projectPath, isSecretFile });
      const fenceOf = (path: string): FoundFile['staysHere'] =>
        fences.ofPath(path.replace(/\/$/u, ''))?.verdict ?? null;
      const { paths, ranked } = await mentionable(root, { text, recent, limit }, signal);
      const asked = { text, paths, isFenced: (path: string) => fenceOf(path) !== null };
      const last = ranked.at(-1);
      const isFull = ranked.length >= limit && last !== undefined && isNamed(last, text);
      // Files whose names begin with the text already fill the list.
      const symbols = isFull ? [] : await findSymbols(filesOf(root), asked, signal);
      const files = ranked.map((path) => ({ path, staysHere: fenceOf(path) }));
      return withSymbols(files, symbols, { text, limit });
    },
    resources: async (place, { text, limit }) => {
      return fittingResources(await options.library(await projectOf(options, place)).resources(), text, limit);
    },
    keepResource: async (place, from, signal) => {
      const projectPath = await projectOf(options, place);
      return keepParts(options, from.server, await readResource(options, { projectPath, ...from }, signal));
    },
    prompts: async (place) => options.library(await projectOf(options, place)).prompts(),
    takePrompt: async (place, asked, signal) => {
      const projectPath = await projectOf(options, place);
      const { text, parts } = await readPrompt(options, { projectPath, ...asked }, signal);
      return { text: options.redact(text), attachments: await keepParts(options, asked.server, parts) };
    },
    preview: async (message, signal) => {
      const { place, text, attachments: given } = message;
      const { attachments, notes } = await gather(options, place, { text, given }, signal);
      const projectPath = await projectOf(options, place);
      const asked = { message, attachments, notes, projectPath };
      return previewAttachments({ ...options.preview, blobs: options.blobs }, asked, signal);
    },
    gather: (sessionId, message, signal) => gather(options, { sessionId }, message, signal),
  };
}

async function gather(
  options: AttachmentsOptions,
  place: FilePlace | null,
  { text, given }: { readonly text: string; readonly given: readonly Attachment[] },
  signal: AbortSignal,
): Promise<GatheredAttachments> {
  if (given.length > maxAttachments) {
    throw new AppError('bad-input', `A message takes at most ${maxAttachments} attachments, not ${given.length}.`);
  }
  for (const one of given) await checkAttachment(options.blobs, one);
  // Attached resources are already here, and the text mentions them by name.
  const named = new Set(given.flatMap(({ source }) => (source === undefined ? [] : [resourceMention(source)])));
  const mentions = mentionsIn(text).filter(
    ({ start, end }) => !named.has(text.slice(start + 1, end).replaceAll('"', '')),
  );
  if (mentions.length === 0 || place === null) return { attachments: given, notes: [] };
  const { root, projectPath } = await rootOf(options, place);
  let look: Promise<HiddenFromReading> | null = null;
  // Not for words that name no file: the look reads the whole project.
  const hidden = () => (look ??= options.hiddenIn({ workspacePath: root, projectPath }, signal));
  const read = await Promise.all(mentions.map((mention) => readMention(options, { root, mention, hidden, signal })));
  const found = read.flatMap((one) => (typeof one === 'string' || one === null ? [] : [one]));
  const notes = read.filter((one) => typeof one === 'string');
  const left = Math.max(0, found.length + given.length - maxAttachments);
  if (left > 0) notes.push(`${left} more mentioned files were not attached: a message takes ${maxAttachments}.`);
  return { attachments: eachOnce([...given, ...found]).slice(0, maxAttachments), notes };
}

/** Reads the workspace on the host, and follows no link out of it. Hides nothing, so it is for the user's eyes only. */
function filesOf(root: string): SandboxFiles {
  return createReadOnlySandbox({ workspacePath: root, because: null }).files;
}

interface Root {
  readonly root: string;
  readonly projectPath: string | null;
  readonly recent: readonly string[];
}

async function rootOf({ stateOf }: AttachmentsOptions, place: FilePlace): Promise<Root> {
  if ('projectPath' in place) {
    if (!isAbsolute(place.projectPath)) throw noFolder(place.projectPath);
    const root = await realRoot(place.projectPath);
    return { root, projectPath: place.projectPath, recent: [] };
  }
  const { workspace, projectPath, changes, messages } = await stateOf(place.sessionId);
  if (workspace === null) throw new AppError('log-damaged', 'The log does not name the workspace of this session.');
  const root = await realRoot(workspace.path);
  const mentioned = messages.flatMap(({ attachments = [] }) => attachments.flatMap(({ path }) => path ?? []));
  const changed = changes.map(({ path }) => path);
  return { root, projectPath, recent: [...new Set([...mentioned.reverse(), ...changed.reverse()])] };
}

async function realRoot(path: string): Promise<string> {
  const found = await askDrive(path, () => realpath(path).catch(() => null));
  if (found === null) throw noFolder(path);
  return found;
}

async function projectOf(options: AttachmentsOptions, place: FilePlace | null): Promise<string | null> {
  return place === null ? null : (await rootOf(options, place)).projectPath;
}

function noFolder(path: string): AppError {
  return new AppError('not-found', `The folder ${path} was not found.`);
}

async function keepFile(options: AttachmentsOptions, { name, data, path, place }: KeptFile): Promise<Attachment> {
  const bytes = Buffer.from(data, 'base64');
  const inside = await placeInWorkspace(options, { name, path, place }, neverAborts);
  const kept = await keepBytes(options, { name, bytes, file: inside, lines: null });
  if (typeof kept === 'string') throw new AppError('bad-input', kept);
  return kept;
}

async function keepParts(
  options: AttachmentsOptions,
  server: string,
  parts: readonly Part[],
): Promise<readonly Attachment[]> {
  const kept: Attachment[] = [];
  for (const { name, uri, bytes } of parts) {
    const one = await keepBytes(options, { name, bytes, file: null, lines: null, source: { server, uri } });
    if (typeof one === 'string') throw new AppError('bad-input', one);
    kept.push(one);
  }
  return kept;
}

/** The file of the workspace. Null if it is elsewhere. Rejects with `refused` if it is hidden. */
async function placeInWorkspace(
  options: AttachmentsOptions,
  { name, path, place }: Pick<ExportFile, 'name' | 'path' | 'place'>,
  signal: AbortSignal,
): Promise<FileLook | null> {
  if (path === undefined || place === undefined) return null;
  const found = await rootOf(options, place);
  await refuseHidden(options, found, { name, path }, signal);
  return insideOf(found.root, path);
}

function fromFile(file: Content['file']): Pick<Attachment, 'path' | 'fileId'> {
  return file === null ? {} : { path: file.real, ...(file.id === undefined ? {} : { fileId: file.id }) };
}

type From = Pick<Attachment, 'path' | 'fileId' | 'source'>;

interface Content {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Null: it is no file of the workspace. */
  readonly file: Pick<FileLook, 'real' | 'id'> | null;
  readonly lines: LineRange | null;
  /** The tool server that it came from. */
  readonly source?: NonNullable<Attachment['source']>;
}

/** Returns the attachment, or a sentence that says why not. Nothing is shrunk or cut automatically. */
async function keepBytes(
  options: AttachmentsOptions,
  { name, bytes, file, lines, source }: Content,
): Promise<Attachment | string> {
  const { blobs, redact } = options;
  const from = { ...fromFile(file), ...(source === undefined ? {} : { source }) };
  const fault = pictureFault(name, bytes);
  if (fault !== null) return fault;
  const facts = readImageFacts(bytes);
  if (facts !== null) {
    const { width, height } = facts;
    if (bytes.length > maxImageBytes)
      return `${name} is larger than ${sizeText(maxImageBytes)}. Make it smaller first.`;
    if (Math.max(width, height) > maxImageSide)
      return `${name} has ${width} × ${height} pixels. The limit is ${maxImageSide} a side. Make it smaller first.`;
    return { kind: 'image', name, blob: await blobs.put(bytes), ...facts, ...from };
  }
  const packed = packedDocument(bytes);
  if (packed !== null) return keepDocument(options, { ...packed, name, bytes, from });
  const unlike = unlikeItsName(name, bytes);
  if (unlike !== null) return unlike;
  const found = textOfFile(bytes);
  if (found === null)
    return `${name} is neither text, a PDF, a Word or Excel file, nor a supported image (PNG, JPEG, GIF, WebP). Save it as text or PDF, or attach a picture of it.`;
  const { text, ...encoding } = found;
  const kind = lines === null ? textDocument(name, bytes) : null;
  if (kind !== null) {
    const utf8 = Buffer.from(text, 'utf8');
    const kept = await keepDocument(options, { name, bytes: utf8, from, kind, why: null });
    // A notebook that is none is shown as the text that it is.
    if (typeof kept !== 'string' || kind !== 'notebook') return kept;
  }
  const chat = lines === null ? chatText(text) : null;
  if (chat !== null) return keepChat(options, { name, chat, from });
  const wanted = lines === null ? text : linesOf(text, lines);
  if (wanted === null) return `${name} has no line ${lines?.from}.`;
  const kept = Buffer.from(redact(wanted), 'utf8');
  if (kept.length > maxTextBytes)
    return `${name} is longer than ${sizeText(maxTextBytes)}.${source === undefined ? ` Name the lines you need, such as @${name}:1-200.` : ''}`;
  return {
    kind: 'text',
    name,
    blob: await blobs.put(kept),
    ...from,
    ...encoding,
    ...(lines === null ? {} : { lines }),
  };
}

/** Stores only the text, up to the size that a message allows. The newest conversations come first in it. */
async function keepChat(
  { blobs, redact }: AttachmentsOptions,
  { name, chat, from }: Pick<Content, 'name'> & { readonly chat: ChatText; readonly from: From },
): Promise<Attachment> {
  const whole = Buffer.from(redact(chat.text), 'utf8');
  let end = Math.min(whole.length, maxTextBytes);
  // Does not cut inside of a multi-byte character.
  while (((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const blob = await blobs.put(whole.subarray(0, end));
  return { kind: 'text', name, blob, chat: { conversations: chat.conversations, bytes: whole.length }, ...from };
}

/** Each gets its title as its name. */
async function keepSomeChats(
  options: AttachmentsOptions,
  file: ExportFile,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Attachment[]> {
  const from = fromFile(await placeInWorkspace(options, file, signal));
  const kept: Attachment[] = [];
  for (const { title, text } of await readChats(sourceOf(file), ids, signal)) {
    const name = options.redact(title).slice(0, 120);
    kept.push(await keepChat(options, { name, chat: { text, conversations: 1 }, from }));
  }
  return kept;
}

/** Some lines of a text. Null: it has no such line. */
function linesOf(text: string, { from, to }: LineRange): string | null {
  const all = text.split('\n');
  return from > all.length ? null : `${all.slice(from - 1, to).join('\n')}\n`;
}

interface Mentioned {
  readonly root: string;
  readonly mention: Mention;
  readonly hidden: () => Promise<HiddenFromReading>;
  readonly signal: AbortSignal;
}

/** The attachment of a mention. A sentence if it should have been one and failed. Null if it is only a word. */
async function readMention(
  options: AttachmentsOptions,
  { root, mention, hidden: find, signal }: Mentioned,
): Promise<Attachment | string | null> {
  const { lines } = mention;
  if (resourceMentionsIn(mentionOf(mention.path)).length > 0)
    return `@${mention.path} goes as words only: nothing of a tool server was attached for it.`;
  const path = mention.path.replace(/^\.\//u, '').replace(/(?<!\/)\/+$/u, '');
  if (path === '') return null;
  const found = await filesOf(root).stat(path, signal);
  if (!found.ok)
    return looksLikePath(mention.path)
      ? `@${mention.path} names no file of this project: ${found.error.message}`
      : null;
  const hidden = await find().catch((error: unknown) => messageOf(error));
  signal.throwIfAborted();
  if (typeof hidden === 'string') return `@${mention.path} was not attached: ${hidden}`;
  // A link is the file that it leads to, for every rule about paths.
  const looks = await createLookAtFiles(root)([path]);
  const why = await whyHidden(root, looks, hidden);
  if (why !== null) return `@${mention.path} was not attached: ${why}`;
  const { files } = createReadOnlySandbox({ workspacePath: root, because: null, hidden: async () => hidden });
  if (found.value.kind === 'folder') return folderText(options, { files, path, signal });
  const file = await files.read(path, { maxBytes: maxFileBytes }, signal);
  if (!file.ok) return `@${mention.path} was not attached: ${file.error.message}`;
  const [look] = looks;
  if (look === undefined) return `@${mention.path} was not attached: it is gone.`;
  const kept = await keepBytes(options, { name: path, bytes: file.value.bytes, file: look, lines });
  return typeof kept === 'string' ? `@${mention.path} was not attached: ${kept}` : kept;
}

async function folderText(
  { blobs }: AttachmentsOptions,
  { files, path, signal }: { readonly files: SandboxFiles; readonly path: string; readonly signal: AbortSignal },
): Promise<Attachment | string> {
  const listing = await files.list(path, { depth: 4, limit: FOLDER_ENTRIES }, signal);
  if (!listing.ok) return `@${path}/ was not attached: ${listing.error.message}`;
  const { entries, truncated } = listing.value;
  const lines = entries.map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
  const text = [...lines, ...(truncated ? ['… and more'] : [])].join('\n');
  return { kind: 'text', name: `${path}/`, blob: await blobs.put(Buffer.from(`${text}\n`, 'utf8')), path };
}
