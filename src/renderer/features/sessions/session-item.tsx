import { memo } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { folderName, money, sessionTitle } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

interface SessionItemProps {
  readonly session: SessionSummary;
  readonly isSelected: boolean;
  /** When it was worked on last. */
  readonly time: string;
  readonly onSelect: (sessionId: string) => void;
}

/** There are thousands, and the list is read again all the time. */
export const SessionItem = memo(function SessionItem({ session, isSelected, time, onSelect }: SessionItemProps) {
  const { sessionId, title, projectPath, status, steps, costUsd } = session;
  const facts = [
    projectPath === null ? null : folderName(projectPath),
    // Where it has to say more, there is no room for it.
    steps === 0 || status !== 'idle' ? null : plural('sessions.steps', steps),
    costUsd === 0 ? null : money(costUsd),
  ];
  return (
    <li>
      <button
        type="button"
        data-session={sessionId}
        title={
          projectPath === null ? sessionTitle(title) : `${sessionTitle(title)}\n${seenName(folderText(projectPath))}`
        }
        aria-current={isSelected ? 'page' : undefined}
        onClick={() => onSelect(sessionId)}
        className="block w-full rounded-md px-2 py-1.5 text-left hover:bg-chosen aria-[current=page]:bg-chosen"
      >
        <span className="flex items-baseline gap-2">
          <Title title={sessionTitle(title)} />
          <span className="text-xs text-soft tabular-nums">{status === 'idle' ? time : ''}</span>
        </span>
        <span className="flex items-center gap-1.5 text-xs text-soft">
          {status !== 'idle' && (
            <span
              className={`inline-flex shrink-0 items-center gap-1 font-semibold ${status === 'waiting' ? 'text-warn' : 'text-ink'}`}
            >
              <span
                aria-hidden="true"
                className="size-1.5 animate-[breathe_1.6s_ease-in-out_infinite] rounded-full bg-current"
              />
              {t(status === 'waiting' ? 'sessions.waiting' : 'sessions.running')}
            </span>
          )}
          <span className="truncate tabular-nums">{facts.filter((fact) => fact !== null).join(' · ')}</span>
        </span>
      </button>
    </li>
  );
});

/** What tells a fork from what it comes from stands at the end of its title, and is not cut off. */
function Title({ title }: { readonly title: string }) {
  const mark = /\s\(fork(?: \d+)?\)$/u.exec(title)?.[0] ?? '';
  return (
    <span className="flex min-w-0 flex-1 text-sm">
      <span className="truncate">{title.slice(0, title.length - mark.length)}</span>
      {mark !== '' && <span className="shrink-0 whitespace-pre text-soft">{mark}</span>}
    </span>
  );
}
