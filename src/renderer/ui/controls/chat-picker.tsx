import { Dialog } from 'radix-ui';
import { useMemo, useState } from 'react';
import type { ChatEntry } from '@shared/attachments/chat-listing.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import type { ChatChoice } from '../../lib/input/chat-exports.ts';
import { foundChats } from '../../lib/input/chat-exports.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Notice } from '../notices/notice.tsx';
import { Button } from './button.tsx';
import { MoreButton } from './more-button.tsx';

interface ChatPickerProps {
  readonly choice: ChatChoice;
  /** The number of files that the message still accepts. */
  readonly room: number;
}

const drawnAtOnce = 100;

/** Chooses the conversations of an export to attach. */
export default function ChatPicker({ choice: { file, listing, take, takeWhole, close }, room }: ChatPickerProps) {
  const { conversations, unread } = listing;
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const found = useMemo(() => foundChats(conversations, typed, dateOf), [conversations, typed]);
  const isFull = chosen.length >= room;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : close())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content className="fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(44rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-3 rounded-xl border border-line bg-raised p-5 text-sm shadow-float">
          <Dialog.Title className="text-xl font-semibold">{t('chats.title')}</Dialog.Title>
          <Dialog.Description className="text-xs text-soft wrap-anywhere">
            {plural('chats.about', conversations.length, { name: seenName(file.name) })}
          </Dialog.Description>
          {unread > 0 && <Notice kind="warning">{plural('chats.unread', unread)}</Notice>}
          <input
            type="search"
            aria-label={t('chats.search')}
            placeholder={t('chats.search')}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className="h-8 w-full shrink-0 rounded-md border border-line-strong bg-raised px-2.5"
          />
          <Rows
            // Starts from the beginning for another search.
            key={typed}
            chats={found}
            chosen={chosen}
            isFull={isFull}
            onChosen={setChosen}
          />
          <div className="flex flex-wrap items-center gap-2">
            {takeWhole !== null && (
              <Button size="small" look="quiet" onClick={takeWhole}>
                {t('chats.whole')}
              </Button>
            )}
            <div className="ml-auto flex items-center gap-2">
              <output className="text-xs text-soft">
                {isFull ? plural('chats.full', room) : plural('chats.chosen', chosen.length)}
              </output>
              <Button size="small" onClick={close}>
                {t('chats.close')}
              </Button>
              <Button size="small" look="primary" disabled={chosen.length === 0} onClick={() => take(chosen)}>
                {t('chats.take')}
              </Button>
            </div>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface RowsProps {
  readonly chats: readonly ChatEntry[];
  readonly chosen: readonly string[];
  readonly isFull: boolean;
  readonly onChosen: (ids: readonly string[]) => void;
}

function Rows({ chats, chosen, isFull, onChosen }: RowsProps) {
  const { shown, left, more } = useFirstItems(chats, drawnAtOnce);
  if (chats.length === 0) return <p className="py-6 text-center text-soft">{t('chats.none')}</p>;
  return (
    <ul aria-label={t('chats.list')} className="-mx-2 min-h-24 flex-1 overflow-y-auto">
      {shown.map((chat) => {
        const isChosen = chosen.includes(chat.id);
        return (
          <li key={chat.id}>
            <label className="grid grid-cols-[auto_1fr] items-center gap-x-3 rounded-md px-2 py-1 hover:bg-chosen">
              <input
                type="checkbox"
                className="row-span-2 size-4"
                checked={isChosen}
                disabled={isFull && !isChosen}
                onChange={() => onChosen(isChosen ? chosen.filter((id) => id !== chat.id) : [...chosen, chat.id])}
              />
              <span className="truncate">{seenWords(chat.title)}</span>
              <span className="truncate text-xs text-soft">
                {[dateOf(chat), chat.app, plural('chats.messages', chat.messages), bytes(chat.bytes)].join(' · ')}
              </span>
            </label>
          </li>
        );
      })}
      <li>
        <MoreButton left={left} onMore={more} />
      </li>
    </ul>
  );
}

/** The day of its last message. */
function dateOf({ changedMs }: ChatEntry): string {
  if (changedMs === null) return t('chats.noDate');
  return new Date(changedMs).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}
