import { useRef, useState } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { maxAttachments, maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { FoundResource } from '@shared/tools/found-offers.ts';
import { base64OfFile } from './base64-of-file.ts';
import type { ChatChoice } from './chat-exports.ts';
import { exportOf, keepChats, mayBeExport } from './chat-exports.ts';
import { fileOfSession } from './session-mentions.ts';
import { announce } from '../notices/announce.ts';
import { useClient } from '../connection/core-context.ts';
import { pathOfFile } from './dropped-path.ts';
import { failureText } from '../connection/failure-text.ts';
import { bytes } from '../text/format.ts';
import { writeStoredText, readStoredText } from '../window/stored-value.ts';
import { t } from '../text/translate.ts';

/** At their usual settings, no service uses more pixels of a side than this. */
const SIDE = 1568;

/** Whether the page can draw the file. A file may only be named like an image. */
export async function canDraw(file: File): Promise<boolean> {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    // Broken, or of a kind that this page does not know.
    return false;
  }
}

/** Makes a JPEG of an image, on the user's request: smaller, of usual colors, and still. Rejects if the page cannot draw it. */
export async function shrinkImage(file: File): Promise<File> {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  const context = canvas.getContext('2d');
  if (context !== null) {
    // A JPEG has no transparency. Without a ground, dark words on nothing would become black on black.
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  image.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  if (blob === null) throw new Error(t('attach.unreadable', { name: file.name }));
  return new File([blob], `${file.name.replace(/\.[^.]*$/u, '')}.jpg`, { type: 'image/jpeg' });
}

/** Why a file was not attached. An image that is only too large can be made smaller on the user's request. */
export interface AttachProblem {
  readonly file: File;
  readonly text: string;
  readonly canShrink: boolean;
}

export interface Attachments {
  readonly list: readonly Attachment[];
  readonly problems: readonly AttachProblem[];
  readonly isBusy: boolean;
  /** A chat app's export to choose conversations from; null when there is none. */
  readonly choice: ChatChoice | null;
  /** A file that takes a while to read, and a function that stops it. */
  readonly reading: { readonly name: string; readonly stop: () => void } | null;
  readonly add: (files: readonly File[]) => void;
  /** Adds files that were stored before, such as those of a message that was taken back. */
  readonly addKept: (attachments: readonly Attachment[]) => void;
  /** Adds the result of another session as a file. */
  readonly addSession: (session: SessionSummary) => void;
  /** Adds a resource of a tool server. */
  readonly addResource: (resource: FoundResource) => void;
  readonly remove: (attachment: Attachment) => void;
  readonly shrink: (problem: AttachProblem) => void;
  readonly dismiss: (problem: AttachProblem) => void;
  /** Removes what was sent. What was attached since then stays. */
  readonly clear: (sent: readonly Attachment[]) => void;
}

/** Attachments of a message that is not sent yet. They survive reloads and restarts, like its text. */
export function useAttachments(name: string, place: FilePlace | null): Attachments {
  const client = useClient();
  const key = `dewpoint-attached:${name}`;
  const [list, setList] = useState(() => readKept(readStoredText(key)));
  const [problems, setProblems] = useState<readonly AttachProblem[]>([]);
  const [waiting, setWaiting] = useState(0);
  // The current list, also for later callbacks: by the time a message is sent, another view may be shown.
  const now = useRef(list);
  const change = (next: (list: readonly Attachment[]) => readonly Attachment[]): void => {
    now.current = next(now.current);
    writeStoredText(key, now.current.length === 0 ? '' : JSON.stringify(now.current));
    setList(now.current);
  };
  const addAll = (name: string, kept: readonly Attachment[]): void => {
    if (now.current.length + kept.length > maxAttachments)
      throw new Error(t('attach.tooMany', { name, most: maxAttachments }));
    change((before) => [...before, ...kept]);
  };
  const attachAll = async (file: File, keep: () => Promise<readonly Attachment[]>): Promise<void> => {
    setWaiting((count) => count + 1);
    try {
      addAll(file.name, await keep());
    } catch (error) {
      const canShrink = file.type.startsWith('image/') && (await canDraw(file));
      const problem = { file, text: failureText(error), canShrink };
      setProblems((before) => [...before, problem]);
    } finally {
      setWaiting((count) => count - 1);
    }
  };
  const attach = (file: File): Promise<void> => attachAll(file, async () => [await keepFile(client, file, place)]);
  const { choice, reading, isLooking, take } = useChatChoice(place, attachAll, attach);
  const attachOther = async (work: () => Promise<void>): Promise<void> => {
    setWaiting((count) => count + 1);
    try {
      await work();
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    } finally {
      setWaiting((count) => count - 1);
    }
  };
  const dismiss = (problem: AttachProblem): void => setProblems((before) => before.filter((one) => one !== problem));
  return {
    list,
    problems,
    isBusy: waiting > 0 || isLooking,
    choice,
    reading,
    add: (files) => {
      for (const file of files) void (mayBeExport(file) ? take(file) : attach(file));
    },
    addSession: (session) => void attachOther(async () => attach(await fileOfSession(client, session))),
    addResource: ({ server, uri, name: words }) =>
      void attachOther(async () => addAll(words, await client.attachments.keepResource({ place, server, uri }))),
    addKept: (attachments) => change((before) => [...before, ...attachments]),
    remove: (attachment) => change((before) => before.filter((one) => one !== attachment)),
    shrink: (problem) => {
      dismiss(problem);
      void shrinkImage(problem.file).then(attach, (error: unknown) =>
        setProblems((before) => [...before, { file: problem.file, text: failureText(error), canShrink: false }]),
      );
    },
    dismiss,
    clear: (sent) => {
      change((before) => before.filter((one) => !sent.includes(one)));
      setProblems([]);
    },
  };
}

/** Handles exports of chat apps. A file that only looks like one is attached as usual. */
function useChatChoice(
  place: FilePlace | null,
  attachAll: (file: File, keep: () => Promise<readonly Attachment[]>) => Promise<void>,
  attach: (file: File) => Promise<void>,
) {
  const client = useClient();
  const [choice, setChoice] = useState<ChatChoice | null>(null);
  const [reading, setReading] = useState<Attachments['reading']>(null);
  const [isLooking, setIsLooking] = useState(false);
  const take = async (file: File): Promise<void> => {
    const { signal, abort } = newStop();
    const isLarge = file.size > maxFileBytes;
    const isArchive = /\.zip$/iu.test(file.name);
    setIsLooking(true);
    if (isLarge) setReading({ name: file.name, stop: abort });
    try {
      const source = await exportOf(file, place);
      const listing = source === null ? null : await client.attachments.chats(source, { signal });
      const [first, second] = listing?.conversations ?? [];
      if (source === null || listing === null || first === undefined) return await attach(file);
      if (second === undefined)
        return await (isLarge || isArchive
          ? attachAll(file, () => keepChats(client, source, [first.id]))
          : attach(file));
      setChoice({
        file,
        listing,
        take: (ids) => {
          setChoice(null);
          void attachAll(file, () => keepChats(client, source, ids));
        },
        takeWhole:
          isLarge || isArchive
            ? null
            : () => {
                setChoice(null);
                void attach(file);
              },
        close: () => setChoice(null),
      });
    } catch (error) {
      // The user knows about a stop.
      if (!signal.aborted) await attachAll(file, () => Promise.reject(error));
    } finally {
      setReading(null);
      setIsLooking(false);
    }
  };
  return { choice, reading, isLooking, take };
}

function newStop(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const stop = new AbortController();
  return { signal: stop.signal, abort: () => stop.abort() };
}

async function keepFile(
  client: ReturnType<typeof useClient>,
  file: File,
  place: FilePlace | null,
): Promise<Attachment> {
  // Larger files are not even read, because the core would refuse them.
  if (file.size > maxFileBytes) throw new Error(t('attach.tooLarge', { name: file.name, most: bytes(maxFileBytes) }));
  const path = pathOfFile(file);
  const data = await base64OfFile(file);
  const where = place === null ? {} : { place, ...(path === null ? {} : { path }) };
  return client.attachments.keep({ name: file.name === '' ? t('attach.pasted') : file.name, data, ...where });
}

/** Checks only that it can be rendered. The core checks what it is sent. */
function readKept(kept: string | null): readonly Attachment[] {
  try {
    const list: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(list) ? list.filter(isAttachment) : [];
  } catch {
    // Another version or program wrote this, so nothing is attached.
    return [];
  }
}

function isAttachment(value: unknown): value is Attachment {
  const kind: unknown = Reflect.get(Object(value), 'kind');
  const name: unknown = Reflect.get(Object(value), 'name');
  const sha256: unknown = Reflect.get(Object(Reflect.get(Object(value), 'blob')), 'sha256');
  return (kind === 'image' || kind === 'text') && typeof name === 'string' && typeof sha256 === 'string';
}
