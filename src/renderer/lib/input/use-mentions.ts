import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent, RefObject } from 'react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { FilePlace, FoundFile } from '@shared/attachments/attachment-inputs.ts';
import { mentionOf, openMention } from '@shared/attachments/file-mentions.ts';
import { rankFiles } from '@shared/attachments/rank-file-names.ts';
import { useClient } from '../connection/core-context.ts';

export interface MentionChoice {
  readonly files: readonly FoundFile[];
  readonly selected: number;
  readonly choose: (file: FoundFile) => void;
  /** True: the key was for the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  /** To be told where the cursor stands. */
  readonly onCursor: (cursor: number) => void;
}

interface MentionField {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Null: there is no folder to look in. */
  readonly place: FilePlace | null;
}

const shown = 10;
const none: readonly FoundFile[] = [];

function fitting(files: readonly FoundFile[], typed: string): readonly FoundFile[] {
  const paths = rankFiles(
    files.map(({ path }) => path),
    typed,
    { recent: [], limit: shown },
  );
  return files.filter(({ path }) => paths.includes(path));
}

/** The list of files that an `@` opens: arrows move in it, Tab and Enter take, Escape closes it. */
export function useMentions({ text, onText, area, place }: MentionField): MentionChoice {
  const client = useClient();
  const [cursor, setCursor] = useState(0);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [wanted, setWanted] = useState(0);
  const open = place === null ? null : openMention(text, Math.min(cursor, text.length));
  const isOpen = open !== null && open.start !== closedAt;
  const query = useQuery({
    queryKey: ['files', place, isOpen ? open.query : ''],
    queryFn: ({ signal }) =>
      place === null
        ? Promise.resolve(none)
        : client.attachments.find({ place, text: open?.query ?? '', limit: shown }, { signal }),
    enabled: isOpen,
    staleTime: 2000,
    gcTime: 10_000,
    retry: false,
    // Until the next list is there the last one stays, so that nothing jumps.
    placeholderData: (before) => before,
  });
  const found = isOpen ? (query.data ?? none) : none;
  // Of the last list only what fits what is typed now: a key must not choose what was not meant.
  const files = query.isPlaceholderData ? fitting(found, open?.query ?? '') : found;
  const selected = Math.min(wanted, Math.max(0, files.length - 1));
  const insert = (path: string, after: string): void => {
    if (open === null) return;
    const written = `${mentionOf(path)}${after}`;
    const end = open.start + written.length;
    flushSync(() => {
      onText(`${text.slice(0, open.start)}${written}${text.slice(cursor).replace(/^ /u, '')}`);
      setCursor(end);
      setWanted(0);
      setClosedAt(after === '' ? null : open.start);
    });
    area.current?.focus();
    area.current?.setSelectionRange(end, end);
  };
  const choose = (file: FoundFile): void => insert(file.path, ' ');
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const file = files[selected];
    if (file === undefined || event.nativeEvent.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setWanted((selected + step + files.length) % files.length);
    else if (event.key === 'Escape') setClosedAt(open?.start ?? null);
    // Into a folder with Tab; Enter takes the folder itself.
    else if (event.key === 'Tab' && file.path.endsWith('/') && !file.path.includes(' ')) insert(file.path, '');
    else if (event.key === 'Tab' || event.key === 'Enter') choose(file);
    else return false;
    event.preventDefault();
    return true;
  };
  const onCursor = (next: number): void => {
    setCursor(next);
    if (closedAt !== null && openMention(text, next)?.start !== closedAt) setClosedAt(null);
  };
  return { files, selected, choose, onKeyDown, onCursor };
}
