import type { ClipboardEvent, DragEvent, KeyboardEvent, ReactNode, Ref } from 'react';
import { lazy, Suspense, useImperativeHandle, useRef, useState } from 'react';
import type { FilePlace, FoundFile } from '@shared/attachments/attachment-inputs.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { sessionTitle } from '../../lib/text/format.ts';
import { attachmentLabel, maxAttachments } from '@shared/attachments/attachment-text.ts';
import { resourceMention, type FoundResource } from '@shared/tools/found-offers.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { submitOnEnter } from '../../lib/input/submit-on-enter.ts';
import { sizedByText, textRows } from '../../lib/drawing/field-rows.ts';
import { t } from '../../lib/text/translate.ts';
import type { PickedOptions } from '../../lib/models/model-options.ts';
import type { HeldSend } from '../../lib/input/use-held-send.ts';
import type { PreviewedFiles } from '../../lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import type { AskedPrompt } from '../../lib/input/use-server-prompts.ts';
import type { MentionChoice, MentionOffer } from '../../lib/input/use-mentions.ts';
import { useMentions } from '../../lib/input/use-mentions.ts';
import { useScreenshot } from '../../lib/connection/use-screenshot.ts';
import { AttachmentList, cutText } from '../content/attachment-list.tsx';
import { Button } from './button.tsx';
import { Icon } from '../layout/icon.tsx';
import { IconButton } from './icon-button.tsx';
import { Notice } from '../notices/notice.tsx';
import type { Suggestion } from './suggestions.tsx';
import { Suggestions } from './suggestions.tsx';
import { UnseenPictures } from './unseen-pictures.tsx';

const PromptFields = lazy(() => import('./prompt-fields.tsx'));
const ChatPicker = lazy(() => import('./chat-picker.tsx'));

export interface MessageFieldHandle {
  readonly focus: () => void;
  readonly chooseFiles: () => void;
  /** Selects a part of the text that it has after the next render. */
  readonly select: (place: { readonly start: number; readonly end: number }) => void;
}

/** Another list that opens over the field, before the list of files. */
export interface FieldMenu {
  readonly label: string;
  readonly items: readonly Suggestion[];
  readonly selected: number;
  /** True: the list has handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  /** The chosen prompt needs its arguments first. */
  readonly asked?: AskedPrompt | null;
}

interface MessageFieldProps {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The fewest and most lines of the field. */
  readonly rows: readonly [number, number];
  readonly attachments: Attachments;
  readonly place: FilePlace | null;
  /** What a model would get of the message, with the options that it will be sent with. */
  readonly files: PreviewedFiles;
  /** The user chose this model because it can see the message's image. */
  readonly onModel: (options: PickedOptions, id: string) => void;
  readonly menu?: FieldMenu;
  /** Whether the message waits for its files. */
  readonly held?: HeldSend;
  readonly handle?: Ref<MessageFieldHandle>;
  /** Shown below the text, beside the button that attaches files: what the message is for. */
  readonly children: ReactNode;
  /** At the right end of that row, or of a second one where there is little room. */
  readonly end: ReactNode;
}

/** A longer pasted text becomes a file: it is material rather than words, and would slow down every key. */
const pastedAsFile = 20_000;

/** Where the user writes to an agent: text, files by button, paste or drop, and project files after an `@`. */
export function MessageField(props: MessageFieldProps) {
  const { id, text, onText, attachments, place, menu, rows } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { isOver, onPaste, ...drop } = useGivenFiles(attachments);
  const { addSession: onSession, addResource: onResource } = attachments;
  const mentions = useMentions({ text, onText, area, place, onSession, onResource });
  const listId = `${id}-list`;
  const note = props.held?.note ?? null;
  const list = menu !== undefined && menu.items.length > 0 ? menu : fileMenu(mentions);
  useImperativeHandle(props.handle, () => ({
    focus: () => area.current?.focus(),
    chooseFiles: () => picker.current?.click(),
    select: ({ start, end }) =>
      requestAnimationFrame(() => {
        area.current?.focus();
        area.current?.setSelectionRange(start, end);
      }),
  }));
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!list.onKeyDown(event) && props.held?.onKeyDown(event) !== true) submitOnEnter(event);
  };
  return (
    <div className="relative">
      <Asked {...props} />
      <Problems attachments={attachments} />
      <Reading attachments={attachments} />
      <UnseenPictures {...props} />
      <Suggestions id={listId} label={list.label} items={list.items} selected={list.selected} />
      <div
        {...drop}
        data-drop={isOver}
        className="rounded-xl border border-line-strong bg-raised focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-ink data-[drop=true]:border-ink data-[drop=true]:bg-chosen"
      >
        {attachments.list.length > 0 && (
          <div className="px-3.5 pt-3">
            <AttachmentList
              attachments={attachments.list}
              onRemove={attachments.remove}
              previews={props.files.preview?.files ?? []}
            />
          </div>
        )}
        <FileNotes files={props.files} />
        <output className={note === null ? undefined : 'block px-3.5 pt-1.5 text-xs text-soft'}>{note}</output>
        <textarea
          dir="auto"
          ref={area}
          rows={textRows(text, ...rows)}
          aria-label={props.label}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={listId}
          aria-activedescendant={list.items.length > 0 ? `${listId}-${list.selected}` : undefined}
          value={text}
          placeholder={props.placeholder}
          onChange={({ target }) => {
            onText(target.value);
            mentions.onCursor(target.selectionStart);
          }}
          onSelect={({ currentTarget }) => mentions.onCursor(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className={`block max-h-[35vh] min-h-10 w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 focus-visible:outline-none ${sizedByText(text)}`}
        />
        <Row end={props.end}>
          <AttachButton picker={picker} attachments={attachments} />
          {props.children}
        </Row>
      </div>
    </div>
  );
}

/** Two rows where one has too little room. */
function Row({ children, end }: Pick<MessageFieldProps, 'children' | 'end'>) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-2 pb-2">
      <div className="flex min-w-0 flex-1 basis-64 items-center gap-1">{children}</div>
      <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-2">{end}</div>
    </div>
  );
}

/** Files by paste (a screenshot, a long text) and by drop. */
function useGivenFiles({ add }: Attachments) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    onPaste: (event: ClipboardEvent): void => {
      const files = [...event.clipboardData.files];
      const words = event.clipboardData.getData('text/plain');
      // A text that was copied along with its picture (a table) is taken as text.
      if (words === '' ? files.length === 0 : words.length <= pastedAsFile) return;
      event.preventDefault();
      add(words === '' ? files : [new File([words], t('attach.pastedText'), { type: 'text/plain' })]);
    },
    onDragOver: (event: DragEvent): void => {
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: (): void => setIsOver(false),
    onDrop: (event: DragEvent): void => {
      setIsOver(false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      add(filesOf(event.dataTransfer));
    },
  };
}

/** Files and screenshots. */
function AttachButton({
  picker,
  attachments,
}: {
  readonly picker: Ref<HTMLInputElement>;
  readonly attachments: Attachments;
}) {
  const own = useRef<HTMLInputElement>(null);
  useImperativeHandle(picker, () => own.current ?? document.createElement('input'));
  return (
    <>
      <IconButton
        icon="attach"
        label={t('attach.button')}
        aria-busy={attachments.isBusy}
        onClick={() => own.current?.click()}
      />
      <input
        ref={own}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-label={t('attach.button')}
        onChange={({ target }) => {
          attachments.add([...(target.files ?? [])]);
          // Lets the user choose the same file again.
          target.value = '';
        }}
      />
      <ScreenshotButton onPicture={(picture) => attachments.add([picture])} />
    </>
  );
}

/** A picture of a screen or a window that the user chooses. Absent where the page cannot take one. */
function ScreenshotButton({ onPicture }: { readonly onPicture: (picture: File) => void }) {
  const screenshot = useScreenshot(onPicture);
  if (screenshot === null) return null;
  return (
    <IconButton
      icon="screen"
      label={t('screenshot.button')}
      aria-busy={screenshot.isTaking}
      disabled={screenshot.isTaking}
      onClick={screenshot.take}
    />
  );
}

/** Leaves out folders, which are mentioned in the text with an `@`. */
function filesOf({ items, files }: DataTransfer): readonly File[] {
  const folders = new Set(
    [...items].flatMap((item) => {
      const entry = item.webkitGetAsEntry();
      return entry?.isDirectory === true ? [entry.name] : [];
    }),
  );
  return [...files].filter((file) => !folders.has(file.name));
}

function fileMenu({ offers, selected, choose, onKeyDown }: MentionChoice): FieldMenu {
  return {
    label: t('mention.label'),
    selected,
    onKeyDown,
    items: offers.map((offer) => ({
      key: keyOfOffer(offer),
      choose: () => choose(offer),
      content: <OfferLine offer={offer} />,
    })),
  };
}

function keyOfOffer(offer: MentionOffer): string {
  if (offer.type === 'file') return keyOf(offer.file);
  return offer.type === 'session' ? offer.session.sessionId : resourceMention(offer.resource);
}

function OfferLine({ offer }: { readonly offer: MentionOffer }) {
  if (offer.type === 'file') return <FoundFileLine file={offer.file} />;
  if (offer.type === 'session') return <FoundSessionLine session={offer.session} />;
  return <FoundResourceLine resource={offer.resource} />;
}

function keyOf({ path, symbol }: FoundFile): string {
  return symbol === undefined ? path : `${path}:${symbol.lines.from}:${symbol.name}`;
}

function FoundSessionLine({ session }: { readonly session: SessionSummary }) {
  return (
    <>
      <Icon name="menu" className="size-3.5 self-center text-soft" />
      <span className="truncate">{sessionTitle(session.title)}</span>
      <span className="ml-auto text-xs whitespace-nowrap text-soft">{t('mention.session')}</span>
    </>
  );
}

/** A resource. Its words are the server's. */
function FoundResourceLine({ resource: { server, name, title, about, uri } }: { readonly resource: FoundResource }) {
  return (
    <>
      <Icon name="tool" className="size-3.5 self-center text-soft" />
      <span className="min-w-0 truncate" title={seenWords(about ?? uri)}>
        {seenWords(title ?? name)} <span className="font-mono text-xs text-soft">{seenName(uri)}</span>
      </span>
      <span className="ml-auto text-xs whitespace-nowrap text-soft">{seenName(server)}</span>
    </>
  );
}

function FoundFileLine({ file }: { readonly file: FoundFile }) {
  if (file.symbol !== undefined) return <FoundSymbolLine path={file.path} symbol={file.symbol} />;
  return (
    <>
      <Icon name={file.path.endsWith('/') ? 'folder' : 'file'} className="size-3.5 self-center text-soft" />
      <span className="truncate font-mono text-xs">{seenName(file.path)}</span>
      {file.staysHere !== null && (
        <span className="ml-auto flex items-center gap-1 text-xs whitespace-nowrap text-soft">
          <Icon name="shield" className="size-3" />
          {t(`mention.fence.${file.staysHere}`)}
        </span>
      )}
    </>
  );
}

function FoundSymbolLine({
  path,
  symbol,
}: {
  readonly path: string;
  readonly symbol: NonNullable<FoundFile['symbol']>;
}) {
  return (
    <>
      <Icon name="command" className="size-3.5 self-center text-soft" />
      <span className="truncate font-mono text-xs">
        {seenName(symbol.name)}
        <span className="text-soft">{` — ${seenName(path)}:${symbol.lines.from}`}</span>
      </span>
      <span className="ml-auto text-xs whitespace-nowrap text-soft">{t('mention.symbol')}</span>
    </>
  );
}

/** Facts that do not fit on a chip: why something is cut, and mentioned files that are cut or not attached. */
function FileNotes({ files: { preview, problem } }: { readonly files: PreviewedFiles }) {
  if (preview === null) return problem === null ? null : <Note text={problem} />;
  const cut = preview.files.flatMap((file) => {
    const text = cutText(file);
    return text === null ? [] : [{ file, text }];
  });
  const isForRoom = cut.some(
    ({ file: { attachment, bytes, shownBytes } }) => shownBytes < Math.min(bytes, attachment.blob.bytes),
  );
  const mentioned = cut.filter(({ file }) => file.isMentioned);
  const models = preview.models.map(({ label }) => seenName(label)).join(', ');
  return (
    <>
      {preview.notes.map((note) => (
        <Note key={note} text={seenWords(note)} />
      ))}
      {mentioned.map(({ file: { attachment }, text }) => (
        <Note
          key={attachment.name}
          text={t('attach.mentioned', { name: seenName(attachmentLabel(attachment)), text })}
        />
      ))}
      {cut.length > 0 && (
        <p className="px-3.5 pt-1.5 text-xs text-soft">
          {isForRoom ? t('attach.cutWhy', { model: models }) : t('attach.cutWhyMost')}
        </p>
      )}
    </>
  );
}

/** A tool server's prompt that needs arguments. */
function Asked({ menu }: MessageFieldProps) {
  if (menu === undefined || menu.asked === undefined || menu.asked === null) return null;
  return (
    <Suspense>
      <PromptFields {...menu.asked} />
    </Suspense>
  );
}

function Note({ text }: { readonly text: string }) {
  return <p className="px-3.5 pt-1.5 text-xs wrap-anywhere text-warn">{text}</p>;
}

/** A large file being read, which can be stopped, or an export to choose from. */
function Reading({ attachments: { reading, choice, list } }: { readonly attachments: Attachments }) {
  if (choice !== null)
    return (
      <Suspense>
        <ChatPicker choice={choice} room={maxAttachments - list.length} />
      </Suspense>
    );
  if (reading === null) return null;
  return (
    <Notice kind="info" className="mb-2">
      <span className="flex flex-wrap items-center gap-2">
        {t('attach.reading', { name: reading.name })}
        <Button size="small" onClick={reading.stop}>
          {t('attach.stopReading')}
        </Button>
      </span>
    </Notice>
  );
}

function Problems({ attachments }: { readonly attachments: Attachments }) {
  return attachments.problems.map((problem) => (
    <Notice key={`${problem.file.name}:${problem.file.lastModified}:${problem.text}`} kind="error" className="mb-2">
      <p>
        {problem.text} {t('attach.held')}
      </p>
      <p className="mt-1.5 flex gap-2">
        {problem.canShrink && (
          <Button size="small" onClick={() => attachments.shrink(problem)}>
            {t('attach.shrink')}
          </Button>
        )}
        <Button size="small" onClick={() => attachments.dismiss(problem)}>
          {t('attach.dismiss')}
        </Button>
      </p>
    </Notice>
  ));
}
