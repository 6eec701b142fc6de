import type { KeyboardEvent, MouseEvent } from 'react';
import { useEffect, useMemo, useState } from 'react';
import type { ListedTalk } from '@shared/session/session-filter.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import type { Selection } from '../../lib/session/use-selection.ts';
import type { SessionsLoad } from '../../lib/session/use-sessions.ts';
import { ownFirst } from '@shared/session/session-news.ts';
import { groupByDay } from '../../lib/text/day-groups.ts';
import { clock, timeOfDay } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import type { ProjectNames } from '../../lib/window/use-projects.ts';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { SessionItem } from './session-item.tsx';

/** Number of sessions rendered at first, and added with each click. */
const step = 100;

interface SessionListingProps {
  readonly load: SessionsLoad;
  /** The matching sessions, in the order of the list. */
  readonly shown: readonly ListedTalk[];
  /** The text when none matches. */
  readonly noMatch: string;
  readonly selection: Selection;
  readonly projectName: ProjectNames;
  /** The session that is open. */
  readonly current: string | null;
  readonly onOpen: (sessionId: string) => void;
}

/**
 * The sessions: pinned ones first, the others by day. A click opens one. Control or Shift and a click choose several,
 * and so does Shift and an arrow. Then a click or Space chooses, too, Enter goes to the actions, and Escape ends it.
 * Tab stops once in the list, where it was left; the arrows, Home and End go on from there.
 */
export function SessionListing({
  load,
  shown: all,
  noMatch,
  selection,
  projectName,
  current,
  onOpen,
}: SessionListingProps) {
  const { shown, left, more } = useFirstItems(all, step);
  const onClick = useStableCallback((sessionId: string, event: MouseEvent): void => {
    if (event.shiftKey) selection.extendTo(sessionId, current ?? sessionId);
    else if (selection.isOn || event.ctrlKey || event.metaKey) selection.toggle(sessionId);
    else onOpen(sessionId);
  });
  const onKeyDown = useStableCallback((sessionId: string, event: KeyboardEvent): void => {
    if (onListKey(event, sessionId, selection)) event.preventDefault();
  });
  const [last, setLast] = useState<string | null>(null);
  const readAt = load.type === 'ready' ? load.readAt : 0;
  const groups = useMemo(() => groupsOf(shown, readAt), [shown, readAt]);
  // A new session is there only after the next load of the list.
  const isThere = shown.some((session) => isOf(session, current));
  useEffect(() => {
    document.querySelector('[data-session][aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [current, isThere]);
  if (load.type === 'loading') return <p className="px-2 text-soft">{t('sessions.loading')}</p>;
  if (load.type === 'failed') {
    return <Problem text={`${t('sessions.failed')} ${load.text}`} />;
  }
  if (load.sessions.length === 0) return <p className="mt-4 px-2 text-soft">{t('sessions.none')}</p>;
  if (shown.length === 0) return <p className="px-2 text-soft">{noMatch}</p>;
  const stop =
    shown.find(({ sessionId }) => sessionId === last) ??
    shown.find((session) => isOf(session, current)) ??
    groups[0]?.items[0];
  return (
    <div
      onFocus={({ target }) => {
        const id = target.closest<HTMLElement>('[data-session]')?.dataset['session'];
        if (id !== undefined) setLast(id);
      }}
    >
      {groups.map(({ key, label, items }) => (
        <section key={key} aria-label={label}>
          <h2 className="px-2 pt-3 pb-1 text-sm font-semibold text-soft">{label}</h2>
          <ul>
            {items.map((session) => (
              <SessionItem
                key={session.sessionId}
                session={session}
                project={session.project === null ? null : projectName(session.project)}
                isSelected={isOf(session, current)}
                isStop={session === stop}
                isChosen={selection.isOn ? selection.chosen.has(session.sessionId) : null}
                time={key === 'sessions.yesterday' ? timeOfDay(session.updatedAt) : clock(session.updatedAt, readAt)}
                onClick={onClick}
                onKeyDown={onKeyDown}
              />
            ))}
          </ul>
        </section>
      ))}
      <MoreButton left={left} onMore={more} />
    </div>
  );
}

/** Whether the session is this talk, or one of its branches. */
function isOf({ sessionId, branches = [sessionId] }: ListedTalk, current: string | null): boolean {
  return current !== null && branches.includes(current);
}

function groupsOf(shown: readonly ListedTalk[], now: number) {
  const pinned = shown.filter(({ isPinned }) => isPinned);
  const days = groupByDay(
    shown.filter(({ isPinned }) => !isPinned),
    now,
  ).map(({ key, label, items }) => ({
    key,
    label: 'key' in label ? t(label.key) : label.month,
    items: ownFirst(items),
  }));
  return pinned.length === 0 ? days : [{ key: 'pinned', label: t('sessions.pinned'), items: pinned }, ...days];
}

/** True: the list has handled the key. */
function onListKey(event: KeyboardEvent, sessionId: string, selection: Selection): boolean {
  const items = [...document.querySelectorAll<HTMLElement>('[data-session]')];
  const at = items.findIndex((item) => item.dataset.session === sessionId);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to !== undefined) {
    const next = items[to];
    next?.focus();
    const id = next?.dataset.session;
    if (event.shiftKey && id !== undefined) selection.extendTo(id, sessionId);
    return true;
  }
  if (!selection.isOn) return false;
  if (event.key === 'Escape') selection.end();
  else if (event.key === 'Enter') document.querySelector<HTMLElement>('[data-organize] button:enabled')?.focus();
  else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.all();
  else return false;
  return true;
}
