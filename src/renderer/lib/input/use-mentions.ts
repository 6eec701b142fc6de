import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent, RefObject } from 'react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { FilePlace, FoundFile } from '@shared/attachments/attachment-inputs.ts';
import { mentionOf, openMention } from '@shared/attachments/file-mentions.ts';
import { rankFiles } from '@shared/attachments/rank-file-names.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { placeIn, resourceMention, type FoundResource } from '@shared/tools/found-offers.ts';
import { useFoundSessions } from './session-mentions.ts';
import { useClient } from '../connection/core-context.ts';

export type MentionOffer =
  | { readonly type: 'file'; readonly file: FoundFile }
  | { readonly type: 'session'; readonly session: SessionSummary }
  | { readonly type: 'resource'; readonly resource: FoundResource };

export interface MentionChoice {
  readonly offers: readonly MentionOffer[];
  readonly selected: number;
  readonly choose: (offer: MentionOffer) => void;
  /** True: the list has handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  /** Must be called with the position of the cursor. */
  readonly onCursor: (cursor: number) => void;
}

interface MentionField {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Null: there is no folder to search. */
  readonly place: FilePlace | null;
  /** Attaches the result of another session as a file. */
  readonly onSession: (session: SessionSummary) => void;
  /** Attaches a resource of a tool server. */
  readonly onResource: (resource: FoundResource) => void;
}

const shown = 10;
const none: readonly FoundFile[] = [];
const shownResources = 6;
const noResources: readonly FoundResource[] = [];

function fitting(files: readonly FoundFile[], typed: string): readonly FoundFile[] {
  const paths = rankFiles(
    files.map(({ path }) => path),
    typed,
    { recent: [], limit: shown },
  );
  return files.filter(({ path, symbol }) =>
    symbol === undefined ? paths.includes(path) : symbol.name.toLowerCase().includes(typed.toLowerCase()),
  );
}

/**
 * The list that an `@` opens: files, symbols, sessions and resources of tool servers. Arrows move in it, Tab and Enter
 * choose, Escape closes it.
 */
export function useMentions({ text, onText, area, place, onSession, onResource }: MentionField): MentionChoice {
  const client = useClient();
  const [cursor, setCursor] = useState(0);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [wanted, setWanted] = useState(0);
  const open = openMention(text, Math.min(cursor, text.length));
  const isOpen = open !== null && open.start !== closedAt;
  const query = useQuery({
    queryKey: ['files', place, isOpen ? open.query : ''],
    queryFn: ({ signal }) =>
      place === null
        ? Promise.resolve(none)
        : client.attachments.find({ place, text: open?.query ?? '', limit: shown }, { signal }),
    enabled: isOpen && place !== null,
    staleTime: 2000,
    gcTime: 10_000,
    retry: false,
    // Keeps the last list until the next one is loaded, so that nothing jumps.
    placeholderData: (before) => before,
  });
  const found = isOpen ? (query.data ?? none) : none;
  const own = place !== null && 'sessionId' in place ? place.sessionId : null;
  const sessions = useFoundSessions(isOpen ? open.query : null, own);
  const resources = useFoundResources(isOpen ? open.query : null, place);
  // Filters the last list by what is typed now, so that a key cannot choose something unintended.
  const files = query.isPlaceholderData ? fitting(found, open?.query ?? '') : found;
  const offers: readonly MentionOffer[] = [
    ...files.map((file) => ({ type: 'file' as const, file })),
    ...sessions.map((session) => ({ type: 'session' as const, session })),
    ...resources.map((resource) => ({ type: 'resource' as const, resource })),
  ];
  const selected = Math.min(wanted, Math.max(0, offers.length - 1));
  /** `after` null: the user goes on typing it. */
  const insert = (mention: string, after: string | null): void => {
    if (open === null) return;
    const written = `${mention}${after ?? ''}`;
    const end = open.start + written.length;
    flushSync(() => {
      onText(`${text.slice(0, open.start)}${written}${text.slice(cursor).replace(/^ /u, '')}`);
      setCursor(end);
      setWanted(0);
      setClosedAt(after === null ? null : open.start);
    });
    area.current?.focus();
    area.current?.setSelectionRange(end, end);
  };
  const choose = (offer: MentionOffer): void => {
    if (offer.type === 'file') return insert(mentionOf(offer.file.path), `${linesAfter(offer.file)} `);
    // The text for its place is typed after its beginning.
    if (offer.type === 'resource' && offer.resource.isTemplate === true)
      return insert(openMentionOf(offer.resource), null);
    // It does not stay in the text; it becomes an attachment.
    if (open !== null) {
      onText(`${text.slice(0, open.start)}${text.slice(cursor)}`);
      setCursor(open.start);
    }
    if (offer.type === 'session') onSession(offer.session);
    else onResource(offer.resource);
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const offer = offers[selected];
    if (offer === undefined) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setWanted((selected + step + offers.length) % offers.length);
    else if (event.key === 'Escape') setClosedAt(open?.start ?? null);
    // Tab enters a folder; Enter chooses it.
    else if (event.key === 'Tab' && offer.type === 'file' && isPlainFolder(offer.file))
      insert(mentionOf(offer.file.path), null);
    else if (event.key === 'Tab' || event.key === 'Enter') choose(offer);
    else return false;
    event.preventDefault();
    return true;
  };
  const onCursor = (next: number): void => {
    setCursor(next);
    if (closedAt !== null && openMention(text, next)?.start !== closedAt) setClosedAt(null);
  };
  return { offers, selected, choose, onKeyDown, onCursor };
}

/** The line range of a symbol, as in a mention. */
function linesAfter({ symbol }: FoundFile): string {
  if (symbol === undefined) return '';
  const { from, to } = symbol.lines;
  return from === to ? `:${from}` : `:${from}-${to}`;
}

/** The beginning of a template, as an unfinished mention. */
function openMentionOf({ server, uri }: FoundResource): string {
  const mention = mentionOf(resourceMention({ server, uri: placeIn(uri)?.before ?? uri }));
  return mention.endsWith('"') ? mention.slice(0, -1) : mention;
}

function isPlainFolder({ path }: FoundFile): boolean {
  return path.endsWith('/') && !path.includes(' ');
}

/** Resources of tool servers that match what is typed after an `@`. Empty for null. */
function useFoundResources(typed: string | null, place: FilePlace | null): readonly FoundResource[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['resources', place, typed],
    queryFn: ({ signal }) =>
      client.attachments.resources({ place, text: typed ?? '', limit: shownResources }, { signal }),
    enabled: typed !== null,
    staleTime: 2000,
    gcTime: 10_000,
    retry: false,
  });
  return typed === null ? noResources : (data ?? noResources);
}
