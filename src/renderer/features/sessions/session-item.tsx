import type { KeyboardEvent, MouseEvent } from 'react';
import { memo } from 'react';
import { needOf } from '@shared/session/session-news.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { money, sessionTitle } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Icon } from '../../ui/layout/icon.tsx';
import { NeedMark } from '../../ui/figures/need-mark.tsx';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

interface SessionItemProps {
  readonly session: SessionSummary;
  /** What its project is called; null: it is in none. */
  readonly project: string | null;
  readonly isSelected: boolean;
  /** Tab stops here, and at no other session of the list. */
  readonly isStop: boolean;
  /** Null: a click opens the session. Otherwise a click chooses it. */
  readonly isChosen: boolean | null;
  /** When it was last worked on. */
  readonly time: string;
  readonly onClick: (sessionId: string, event: MouseEvent) => void;
  readonly onKeyDown: (sessionId: string, event: KeyboardEvent) => void;
}

/** Memoized: there are thousands, and the list is loaded often. */
export const SessionItem = memo(function SessionItem({
  session,
  project,
  isSelected,
  isStop,
  isChosen,
  time,
  onClick,
  onKeyDown,
}: SessionItemProps) {
  const { sessionId, title, projectPath, status } = session;
  return (
    <li>
      <button
        type="button"
        // Stays the same element, so that it keeps the focus.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role={isChosen === null ? undefined : 'checkbox'}
        aria-checked={isChosen ?? undefined}
        data-session={sessionId}
        tabIndex={isStop ? 0 : -1}
        title={
          projectPath === null ? sessionTitle(title) : `${sessionTitle(title)}\n${seenName(folderText(projectPath))}`
        }
        aria-current={isSelected && isChosen === null ? 'page' : undefined}
        onClick={(event) => onClick(sessionId, event)}
        onKeyDown={(event) => onKeyDown(sessionId, event)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left select-none hover:bg-chosen aria-checked:bg-chosen aria-[current=page]:bg-chosen"
      >
        {isChosen !== null && <Box isChecked={isChosen} />}
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <Title title={sessionTitle(title)} />
            <span className="text-xs text-soft tabular-nums">{status === 'idle' ? time : ''}</span>
          </span>
          <Facts {...{ session, project }} />
        </span>
      </button>
    </li>
  );
});

function Box({ isChecked }: { readonly isChecked: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`mt-0.5 flex size-4 shrink-0 items-center justify-center rounded border ${isChecked ? 'border-ink bg-ink text-paper' : 'border-line-strong'}`}
    >
      {isChecked && <Icon name="check" className="size-3" />}
    </span>
  );
}

function Facts({ session, project }: Pick<SessionItemProps, 'session' | 'project'>) {
  const { status, steps, costUsd, isArchived, tags } = session;
  const need = needOf(session);
  const facts = [
    isArchived ? t('sessions.archived') : null,
    project,
    // Left out where there is no room because of other facts.
    steps === 0 || status !== 'idle' || tags.length > 0 ? null : plural('sessions.steps', steps),
    costUsd === 0 ? null : money(costUsd),
    ...tags.map((tag) => `#${tag}`),
  ];
  return (
    <span className="flex items-center gap-1.5 text-xs text-soft">
      {need !== 'nothing' && <NeedMark need={need} isAtWork={status !== 'idle'} />}
      <span className="truncate tabular-nums">{facts.filter((fact) => fact !== null).join(' · ')}</span>
    </span>
  );
}

/** The mark of a fork at the end of its title is never cut off. */
function Title({ title }: { readonly title: string }) {
  const mark = /\s\(fork(?: \d+)?\)$/u.exec(title)?.[0] ?? '';
  return (
    <span className="flex min-w-0 flex-1 text-sm">
      <span className="truncate">{title.slice(0, title.length - mark.length)}</span>
      {mark !== '' && <span className="shrink-0 whitespace-pre text-soft">{mark}</span>}
    </span>
  );
}
